import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { recordToolCall } from '../../queue/calls/record-tool-call.ts'
import type { CallControlName } from '../conversation/call-controls.ts'
import { Conversation, type ConversationDeps } from '../conversation/conversation.ts'
import type { ModelClient } from '../conversation/model/model-client.ts'
import type { FinishedTurn, TurnInput, TurnPart } from '../conversation/transcript.ts'
import { loadConversation, toAnalyzed } from './build-conversation.ts'
import type { ChatEvent } from './chat.ts'
import { chatEnded, chatNotFound, notYourChat } from './chat-errors.ts'
import {
  addLateResult,
  type ChatRow,
  hasOpenTurn,
  insertTurn,
  lockChat,
  selectTurns,
  type TurnKey,
  updateEnd,
  updateFound,
  updateProgress,
  updateTokens,
  updateTurn,
} from './chat-store.ts'
import { openChatTools } from './chat-tools.ts'
import { addTokens } from './token-usage.ts'
import { startExclusive } from './turns-in-progress.ts'
import { whileWatched } from './watch-turn.ts'

export type ChatDeps = Pick<
  Deps,
  'config' | 'db' | 'clock' | 'log' | 'metrics' | 'notify' | 'attemptTokenKey' | 'confirmRights'
> & { model: ModelClient }

interface ChatKey {
  workspaceId: number
  userId: number
  chatId: string
}

/** How long finding the results so far can take, in milliseconds. Without JavaScript, the page waits for it, too. */
const maxFindingMs = 10 * secondMs

/** Maximum characters of a contact's words in one turn. A person doesn't say more in one go. */
export const maxInputLength = 2_000

/**
 * Takes the next turn of a chat, and streams what the agent says and does. If this process has another turn of the chat in
 * progress, interrupts it, and waits until its words so far are stored. Iterate to the end, even after the signal has aborted.
 * Otherwise, the turn isn't stored.
 *
 * @param signal interrupts the turn
 * @throws {FormError} not_found, and validation_failed if the chat has ended or is another member's
 */
export async function* takeTurn(
  deps: ChatDeps,
  key: ChatKey,
  input: TurnInput,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const exclusive = await startExclusive(deps, key.chatId, signal)
  try {
    await waitForOpenTurn(deps, key)
    const { chat, state, number } = await beginTurn(deps, key, input)
    const conversation = new Conversation(toConversationDeps(deps, chat, number), state)
    const turn = yield* whileWatched(deps, key, number, (watched) =>
      conversation.takeTurn(input, AbortSignal.any([exclusive.signal, watched])),
    )
    // Counts the tokens before storing the turn: they were used, even if the member has lost the right to store it.
    await addTokens(deps, key.workspaceId, turn.usage)
    const isStored = await storeTurn(deps, key, number, turn)
    if (!isStored) {
      yield { type: 'dropped' }
      return
    }
    yield { type: 'finished', number, end: turn.end ?? null }
    if (turn.end === undefined && input.type === 'speech' && state.agent.results.length > 0)
      yield* findResults(deps, key, { number, agent: state.agent }, exclusive.signal)
  } finally {
    exclusive.end()
  }
}

/**
 * Waits until another process has stored the turn that the contact interrupts, so that the agent knows what it said. That takes
 * milliseconds. A turn that was lost, or that another page continues, doesn't end.
 */
async function waitForOpenTurn(
  { db }: Pick<ChatDeps, 'db'>,
  { workspaceId, chatId }: ChatKey,
): Promise<void> {
  for (let poll = 0; poll < openTurnPolling.maxPolls; poll += 1) {
    if (!(await hasOpenTurn(db, workspaceId, chatId))) return
    await pause(openTurnPolling.delayMs)
  }
}

const openTurnPolling = { maxPolls: 20, delayMs: 50 }

const beginTurn = (deps: ChatDeps, key: ChatKey, input: TurnInput) =>
  inTransaction(deps, async (tx) => {
    const { workspaceId, chatId } = key
    const chat = await lockOwnChat(tx.db, key)
    if (chat.ended_at !== null) throw chatEnded()
    const turns = await selectTurns(tx.db, workspaceId, chatId)
    const state = await loadConversation(tx.db, chat, turns)
    const number = chat.turn + 1
    await insertTurn(tx.db, { workspaceId, chatId, number }, input, tx.clock.now())
    return { chat, state, number }
  })

/** @throws {FormError} not_found, and validation_failed if the chat is another member's */
async function lockOwnChat(db: Db, { workspaceId, userId, chatId }: ChatKey): Promise<ChatRow> {
  const chat = await lockChat(db, workspaceId, chatId)
  if (chat === undefined) throw chatNotFound()
  if (chat.user_id !== userId) throw notYourChat()
  return chat
}

/** Saves the parts of a turn in progress. Returns false if the turn has ended, or the chat has a newer one, has ended, or was deleted. */
const saveProgress = (deps: ChatDeps, key: TurnKey, parts: readonly TurnPart[]): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    const chat = await lockChat(tx.db, key.workspaceId, key.chatId)
    if (chat?.turn !== key.number || chat.ended_at !== null) return false
    return updateProgress(tx.db, key, parts)
  })

/** Stores a turn. Returns false if the chat has a newer turn, has ended, or has been deleted. */
const storeTurn = (
  deps: ChatDeps,
  { workspaceId, chatId }: ChatKey,
  number: number,
  turn: FinishedTurn,
): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    const chat = await lockChat(tx.db, workspaceId, chatId)
    if (chat === undefined) return false
    await updateTokens(tx.db, workspaceId, chatId, turn.usage)
    if (chat.turn !== number || chat.ended_at !== null) return false
    const now = tx.clock.now()
    await updateTurn(tx.db, { workspaceId, chatId, number }, { ...turn, now })
    return true
  })

/** Finds the values of the agent's results so far. Ignores failures, because the chat doesn't depend on these values. */
async function* findResults(
  deps: ChatDeps,
  key: ChatKey,
  { number, agent }: { number: number; agent: AgentValues },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const { workspaceId, chatId } = key
  const turns = await selectTurns(deps.db, workspaceId, chatId)
  const request = {
    ...toAnalyzed(agent, turns),
    model: agent.model ?? undefined,
    signal,
    timeoutMs: maxFindingMs,
  }
  const outcome = await deps.model.analyze(request)
  await updateTokens(deps.db, workspaceId, chatId, outcome.usage)
  await addTokens(deps, workspaceId, outcome.usage)
  if (outcome.type !== 'analysis') return
  const found = outcome.analysis.extracted
  await updateFound(deps.db, { workspaceId, chatId, number }, found)
  yield { type: 'found', found }
}

/**
 * Ends a chat for the member, even if the settings no longer have a language model. Does nothing if the chat has already ended.
 *
 * @throws {FormError} not_found, and validation_failed if the chat is another member's
 */
export async function endChat(deps: Omit<ChatDeps, 'model'>, key: ChatKey): Promise<void> {
  const { workspaceId, chatId } = key
  // Checks the member before `startExclusive` interrupts the turn in progress, because only the chat's member may do that.
  await inTransaction(deps, (tx) => lockOwnChat(tx.db, key))
  const exclusive = await startExclusive(deps, chatId, new AbortController().signal)
  try {
    await waitForOpenTurn(deps, key)
    await inTransaction(deps, async (tx) => {
      await lockOwnChat(tx.db, key)
      await updateEnd(tx.db, workspaceId, chatId, { end: 'member', now: tx.clock.now() })
    })
  } finally {
    exclusive.end()
  }
}

function toConversationDeps(deps: ChatDeps, chat: ChatRow, number: number): ConversationDeps {
  const { model, clock, log } = deps
  const { workspace_id: workspaceId, id } = chat
  const onFailure = (error: unknown, sentence: string) =>
    log.error({ workspace_id: workspaceId, error: describeError(error) }, sentence)
  return {
    ...{ model, clock },
    openTools: (signal) => openChatTools(deps, chat, signal),
    runControl: (name) => runControl(deps, chat, name),
    saveProgress: (parts) =>
      saveProgress(deps, { workspaceId, chatId: id, number }, parts).catch((error: unknown) => {
        onFailure(error, 'failed to save a turn in progress')
        return false
      }),
    saveLateResult: (result) =>
      addLateResult(deps.db, workspaceId, id, result).catch((error: unknown) =>
        onFailure(error, 'failed to save the result of a tool'),
      ),
    onToolFailure: (error) => onFailure(error, 'failed to use the tool server for a chat'),
  }
}

/** Does a dry run of a call control, and records it as a tool call. */
async function runControl(deps: ChatDeps, chat: ChatRow, toolName: CallControlName): Promise<string> {
  const text = controlResults[toolName]
  await recordToolCall(deps, chat.workspace_id, {
    ...{ of: { conversationId: chat.id }, toolName, args: {}, result: { text, isError: false } },
    ...{ dryRun: true, startedAt: deps.clock.now(), durationMs: 0 },
  })
  return text
}

const controlResults: Record<CallControlName, string> = {
  end_call: 'The call ends now.',
  opt_out:
    'Chat: nothing was changed. In a call, the number would now be on the do-not-call list. The call ends now.',
}
