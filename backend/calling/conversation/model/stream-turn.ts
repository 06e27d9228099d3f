import type { AssistantModelMessage, ModelMessage, ToolSet } from 'ai'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/core/clock.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import type { Answer, RequestedTool } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { failureSentences, isOfRequest, type ModelFailure } from './failure.ts'
import type { ModelHealth } from './health.ts'
import type { ModelPackages } from './packages.ts'
import { runTools, type ToolCallPart, type ToolResultPart } from './run-tools.ts'
import { type StreamedRequest, streamRequest } from './stream-request.ts'
import { type ConversationTool, toToolSet } from './tools.ts'
import { addUsage, noUsage, type TokenUsage } from './usage.ts'

type RequestOutcome = Answer & { usage: TokenUsage }

export interface TurnRequest {
  /** The name of a model in the settings. With any other name, or none, the first model of the settings answers. */
  model?: string
  instructions: string
  /** The conversation so far. Notes to the model have the role `user`, because messages with the role `system` are rejected. */
  messages: readonly ModelMessage[]
  tools: readonly ConversationTool[]
  /** Aborts to end the turn, with the failure `aborted`. Running tools continue. */
  signal: AbortSignal
  maxOutputTokens?: number
  /** Maximum characters of a request, as JSON. A turn whose next request would be longer finishes without it. Default: no limit. */
  maxRequestLength?: number
  /** Maximum requests in this turn. The last one can't use tools, so that the turn doesn't end with a tool call. */
  maxSteps?: number
  firstWordMs?: number
  /** How long an answer that has begun can pause. */
  idleMs?: number
}

/** The end of a turn, even of a failed one: the turn's words, messages, and tokens. */
interface TurnEnd {
  text: string
  /** The messages to add to the conversation. They're plain JSON. */
  messages: ModelMessage[]
  usage: TokenUsage
}

/** The end of a turn that didn't fail. */
interface TurnFinish extends TurnEnd {
  type: 'finish'
  /** The model that answered last. */
  model: string
  /** True if the answer reached its limit. */
  isTruncated: boolean
  /** True if the server's content filter ended the answer. */
  isFiltered: boolean
  /** True if the next request would have exceeded `maxRequestLength`. */
  isTooLong: boolean
  /** The number of tool calls beyond the limits, which weren't made. */
  skippedCalls: number
}

export type TurnPart =
  | { type: 'text'; text: string }
  | ToolCallPart
  | ToolResultPart
  | TurnFinish
  | (TurnEnd & { type: 'failure'; failure: ModelFailure })

export interface TurnDeps {
  packages: ModelPackages
  clock: Clock
  log: Pick<Logger, 'warn'>
  health: ModelHealth
}

/** After this many calls of unknown tools or with invalid arguments, the model can't use tools for the rest of the turn. */
const maxRejectedCalls = 2

/** Limits tool calls, because a text that the model reads could demand hundreds. Calls beyond these limits aren't made. */
const maxCalls = { inAnswer: 8, inTurn: 20 }

interface Turn {
  settings: Omit<StreamedRequest, 'messages' | 'mayUseTools' | 'saidBefore'>
  history: readonly ModelMessage[]
  /** The models that haven't failed in this turn. The first is used. */
  endpoints: Endpoint[]
  messages: ModelMessage[]
  text: string
  /** The words that a model said in its current answer before it failed. The next model continues after these words. */
  broken: string
  usage: TokenUsage
  /** The IDs of all tool calls. */
  callIds: Set<string>
  /** The number of tool calls that weren't made. */
  skippedCalls: number
}

/**
 * Yields what the model says and does in one turn. The last part is `finish` or `failure`, whatever happens. If a model
 * fails, the next of `endpoints` continues.
 */
export async function* streamTurn(
  deps: TurnDeps,
  endpoints: readonly Endpoint[],
  request: TurnRequest,
): AsyncGenerator<TurnPart, void> {
  const { tools, signal, maxSteps = 5, instructions, maxRequestLength = Infinity } = request
  const { maxOutputTokens = 400, firstWordMs = 4 * secondMs, idleMs = 10 * secondMs } = request
  const toolSet: ToolSet = toToolSet(deps.packages, tools)
  const turn: Turn = {
    settings: { instructions, offered: tools, tools: toolSet, maxOutputTokens, signal, firstWordMs, idleMs },
    history: request.messages,
    endpoints: [...endpoints],
    ...{ messages: [], text: '', broken: '', usage: noUsage, callIds: new Set(), skippedCalls: 0 },
  }
  const ending = tools.filter(({ endsTurn }) => endsTurn).map(({ name }) => name)
  let rejectedCalls = 0
  for (let step = 1; ; step += 1) {
    const sent = [instructions, turn.history, turn.messages, tools]
    if (JSON.stringify(sent).length > maxRequestLength) {
      yield toFinish(turn, { isTooLong: true })
      return
    }
    const callsLeft = Math.min(maxCalls.inAnswer, maxCalls.inTurn - turn.callIds.size)
    const mayUseTools = step < maxSteps && rejectedCalls < maxRejectedCalls && callsLeft > 0
    const outcome = yield* requestStep(deps, turn, mayUseTools)
    const { text, reasoning, failure, isTruncated, isFiltered } = outcome
    // Skips tool calls if the answer was cut off, if tools weren't allowed, or if the contact interrupted the turn.
    const isUsable = failure === undefined && mayUseTools && !isTruncated && !isFiltered && !signal.aborted
    // A text with many orders must not keep the contact from opting out, so tools that end the turn don't count.
    const made = outcome.calls.filter(
      ({ name }, index, all) =>
        index < callsLeft || (ending.includes(name) && all.findIndex((call) => call.name === name) === index),
    )
    const calls = isUsable ? made.map((call) => withOwnId(turn, call)) : []
    if (isUsable) turn.skippedCalls += outcome.calls.length - made.length
    turn.text += text
    if (text.trim() !== '' || calls.length > 0)
      turn.messages.push(toMessage(text.trimStart(), reasoning, calls))
    if (failure !== undefined) {
      yield { type: 'failure', failure, ...toEnd(turn) }
      return
    }
    if (signal.aborted) {
      yield { type: 'failure', failure: { kind: 'aborted' }, ...toEnd(turn) }
      return
    }
    if (calls.length === 0) {
      yield toFinish(turn, { isTruncated, isFiltered })
      return
    }
    rejectedCalls += calls.filter(({ problem }) => problem !== undefined).length
    const run = yield* runTools(tools, calls, signal)
    turn.messages.push(run.message)
    if (run.isAborted) {
      yield { type: 'failure', failure: { kind: 'aborted' }, ...toEnd(turn) }
      return
    }
    if (calls.some(({ name, problem }) => problem === undefined && ending.includes(name))) {
      yield toFinish(turn, {})
      return
    }
  }
}

const toFinish = (
  turn: Turn,
  { isTruncated = false, isFiltered = false, isTooLong = false }: Partial<TurnFinish>,
): TurnFinish => ({
  ...{ type: 'finish', model: turn.endpoints[0]?.model ?? '', isTruncated, isFiltered, isTooLong },
  ...{ skippedCalls: turn.skippedCalls, ...toEnd(turn) },
})

/** Gives a call a new ID if the turn already has its ID, because some servers number the calls of each response from one. */
function withOwnId({ callIds }: Turn, call: RequestedTool): RequestedTool {
  const { toolCallId } = call
  const id = callIds.has(toolCallId) ? `${toolCallId}-${callIds.size}` : toolCallId
  callIds.add(id)
  return { ...call, toolCallId: id }
}

/** Sends one request to the first model. If the model fails, the next one continues after the words that were already said. */
async function* requestStep(
  deps: TurnDeps,
  turn: Turn,
  mayUseTools: boolean,
): AsyncGenerator<TurnPart, RequestOutcome> {
  for (;;) {
    const [endpoint] = turn.endpoints
    if (endpoint === undefined) throw new Error('invariant: a turn has a model')
    const outcome = yield* requestOnce(deps, turn, endpoint, mayUseTools)
    turn.usage = addUsage(turn.usage, outcome.usage)
    const text = turn.broken + outcome.text
    if (outcome.failure === undefined) await deps.health.addSuccess(endpoint.key)
    else if (outcome.failure.kind !== 'aborted')
      await noteFailure(deps, endpoint, outcome.failure, outcome.error)
    const canContinue = outcome.failure !== undefined && outcome.failure.kind !== 'aborted'
    if (!canContinue || turn.endpoints.length === 1) {
      turn.broken = ''
      return { ...outcome, text }
    }
    turn.broken = text
    turn.endpoints.shift()
  }
}

/** Sends the request. If the server may have rejected it because of `stream_options`, sends it again without that option. */
async function* requestOnce(
  deps: TurnDeps,
  turn: Turn,
  endpoint: Endpoint,
  mayUseTools: boolean,
): AsyncGenerator<TurnPart, RequestOutcome> {
  const continued: ModelMessage[] = turn.broken === '' ? [] : [toMessage(turn.broken, '', []), continueNote]
  const messages = [...turn.history, ...turn.messages, ...continued]
  const request = { ...turn.settings, messages, mayUseTools, saidBefore: turn.text + turn.broken }
  const includeUsage = !endpoint.rejectsUsageOption
  let outcome = yield* streamRequest(deps, { endpoint, includeUsage }, request)
  if (includeUsage && outcome.failure?.status === 400) {
    outcome = yield* streamRequest(deps, { endpoint, includeUsage: false }, request)
    endpoint.rejectsUsageOption = outcome.failure === undefined
  }
  const { failure, error, calls, text } = outcome
  // The model's words stay valid, even if it also called a tool when tools weren't allowed.
  if (error === 'AI_ToolChoiceViolationError' && text !== '')
    return { ...outcome, failure: undefined, calls: [] }
  const isSilent = (turn.text + turn.broken + text).trim() === '' && calls.length === 0
  if (failure !== undefined || !isSilent) return outcome
  return { ...outcome, failure: { kind: outcome.isFiltered ? 'filtered' : 'no_first_word' } }
}

const continueNote: ModelMessage = {
  role: 'user',
  content: '[Your answer broke off after these words. Continue right after them, and repeat nothing.]',
}

/** Logs a failure, and counts it if other conversations would have it, too. */
async function noteFailure(
  { log, health }: Pick<TurnDeps, 'log' | 'health'>,
  endpoint: Endpoint,
  failure: ModelFailure,
  error: string | undefined,
): Promise<void> {
  logFailure(log, endpoint, failure, error)
  if (!isOfRequest(failure)) await health.addFailure(endpoint.key)
}

/** Logs a failure, without any content of the request. */
export const logFailure = (
  log: TurnDeps['log'],
  { host, model }: Endpoint,
  { kind, status }: ModelFailure,
  error: string | undefined,
): void => log.warn({ host, model, failure: kind, status, error: { name: error } }, failureSentences[kind])

function toMessage(text: string, reasoning: string, calls: RequestOutcome['calls']): AssistantModelMessage {
  return {
    role: 'assistant',
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ toolCallId, name, args, providerMetadata }) => ({
        type: 'tool-call' as const,
        toolCallId,
        toolName: name,
        // Servers reject a conversation with a tool call whose arguments aren't a JSON object.
        input: typeof args === 'object' && args !== null ? args : {},
        ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
      })),
    ],
  }
}

/** Returns the end of a turn, without the model's thoughts: they're sent back to the server only within the turn. */
function toEnd({ text, messages, usage }: Turn): TurnEnd {
  const withoutThoughts = messages.map((message) =>
    message.role === 'assistant' && typeof message.content !== 'string'
      ? { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') }
      : message,
  )
  return { text, messages: withoutThoughts, usage }
}
