import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import type { ChatTurn } from '../../calling/chats/chat.ts'
import { notYourChat } from '../../calling/chats/chat-errors.ts'
import { endChat, maxInputLength, takeTurn } from '../../calling/chats/take-turn.ts'
import type { TurnInput } from '../../calling/conversation/transcript.ts'
import type { Deps } from '../../deps.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { releaseRequestSlot } from '../../platform/core/request-slot.ts'
import { runToEnd } from '../../platform/core/run-to-end.ts'
import { toStorableText } from '../../platform/core/text.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { defineAction, defineForm, noInput, redirectTo } from '../page/define-page.ts'
import { formText } from '../page/forms.ts'
import { pathTo } from '../page/page-context.ts'
import { markSubmitted } from '../page/submit-once.ts'
import {
  type ChatContext,
  chatKey,
  ChatParams,
  chatPath,
  getChat,
  loadShownChat,
  requireModel,
  type ShownChat,
} from './chat-context.ts'
import { createChatEvent, toCallValues } from './chat-event.ts'
import { chooseModel, describeMissingModel } from './chat-model.ts'
import { selectReceivers, selectUserNames } from './chat-queries.ts'
import { streamTurn } from './chat-stream.ts'
import type { Speakers } from './chat-turns.ts'
import { type ChatData, chatView } from './chat-view.ts'

/** The longest that a turn can be in progress. After that, its process must have stopped. */
const maxTurnMs = 2 * minuteMs

const TurnFields = z.object({
  text: boundedText(maxInputLength).default(''),
  // Sent by the button "Say nothing".
  _silence: formText.optional(),
  _once: formText.optional(),
})

/** Shows a chat, and takes its next turn. The page's script streams the turn. Without it, the page shows the finished turn. */
export const chatPage = defineForm({
  params: ChatParams,
  query: noInput,
  form: TurnFields,
  isOnce: false,
  // Turns don't need the lower rate limit: a chat takes one at a time, and a member can't start many chats.
  isCostly: false,
  show: async (deps, context) => {
    const shown = await loadShownChat(deps, context)
    return chatView(`Chat with ${shown.agent.name}`, await toChatData(deps, context, shown))
  },
  submit: async (deps, context, fields) => {
    const turn = await prepareTurn(deps, context, fields)
    if (turn === null) return redirectTo(chatPath(context), alreadySent)
    await runToEnd(takeTurn({ ...deps, model: turn.model }, chatKey(context), turn.input, noSignal))
    const { turns } = await getChat(deps, context)
    return redirectTo(`${chatPath(context)}#turn-${turns.at(-1)?.number ?? 1}`)
  },
  async *stream(deps, context, fields, { page, signal }) {
    const turn = await prepareTurn(deps, context, fields)
    if (turn === null) {
      yield { type: 'over' }
      return
    }
    const shown = await loadShownChat(deps, context)
    yield* streamTurn(
      { ui: page.ui, ...(await describeChat(deps, shown)), load: () => loadShownChat(deps, context) },
      turn.input,
      takeTurn({ ...deps, model: turn.model }, chatKey(context), turn.input, signal),
    )
  },
})

/** Never aborts: without the page's script, the member sees nothing until the turn is over, and can't interrupt the agent. */
const noSignal = new AbortController().signal

const alreadySent =
  "You already sent this, so the agent didn't hear it twice. If it isn't in the conversation, write it again."

/** Returns the model and what the contact says next. Null if the form was already sent. */
async function prepareTurn(deps: Deps, context: ChatContext, fields: z.output<typeof TurnFields>) {
  const chat = await getChat(deps, context)
  if (chat.userId !== context.user.userId) throw notYourChat()
  const model = requireModel(deps)
  const input = toInput(fields)
  if (!(await markSubmitted(deps, context, chatPath(context), fields))) return null
  releaseRequestSlot()
  return { model, input }
}

function toInput({ text, _silence: silence }: z.output<typeof TurnFields>): TurnInput {
  if (silence !== undefined) return { type: 'silence' }
  const said = toStorableText(text.trim())
  if (said === '')
    throw invalidField('text', 'required', 'Write what the contact says, or choose “Say nothing”.')
  return { type: 'speech', text: said }
}

const toSpeakers = ({ agent, person }: ShownChat): Speakers => ({
  agent: agent.name,
  contact: person.first_name?.trim() || person.last_name?.trim() || 'Contact',
})

/** Returns the names of the speakers, of the member who started the chat, and of the model. */
async function describeChat(
  deps: Pick<Deps, 'db' | 'model'>,
  shown: ShownChat,
): Promise<Pick<ChatData, 'speakers' | 'model' | 'missingModel' | 'member'>> {
  const { chat, agent } = shown
  const chosen = deps.model && chooseModel(deps.model.models, agent.model)
  const names = await selectUserNames(deps.db, [chat.userId])
  return {
    speakers: toSpeakers(shown),
    model: chat.model ?? chosen?.name ?? null,
    missingModel: chosen ? describeMissingModel(chosen) : null,
    member: names.get(chat.userId) ?? 'A former user',
  }
}

async function toChatData(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'model'>,
  context: ChatContext,
  shown: ShownChat,
): Promise<ChatData> {
  const { db, clock } = deps
  const { chat } = shown
  const path = chatPath(context)
  return {
    ...{ shown, path, ...(await describeChat(deps, shown)) },
    turnInProgress: chat.endedAt === null ? findTurnInProgress(chat.turns, clock.now()) : null,
    isOwn: chat.userId === context.user.userId,
    event:
      chat.endedAt === null
        ? null
        : {
            event: await createChatEvent(deps, context.workspace.id, shown),
            receivers: await selectReceivers(db, context.workspace.id),
            hasSampleValues: chat.contactId === null,
            action: `${path}/test-event`,
          },
  }
}

function findTurnInProgress(turns: readonly ChatTurn[], now: Date): number | null {
  const newest = turns.at(-1)
  const isInProgress = newest?.isFinished === false && now.getTime() - newest.startedAt.getTime() < maxTurnMs
  return isInProgress ? newest.number : null
}

/** Ends a chat. Isn't in a transaction, because it waits for the turn in progress. Ending a chat twice does no harm. */
export const endChatAction = defineAction({
  params: ChatParams,
  form: noInput,
  isOnce: false,
  isCostly: false,
  run: async (deps, context) => {
    await getChat(deps, context)
    await endChat(deps, chatKey(context))
    return redirectTo(`${chatPath(context)}#chat-end`)
  },
  back: chatPath,
})

export const sendChatEventAction = defineAction({
  params: ChatParams,
  form: z.object({ subscription_id: z.coerce.number().int().min(1).optional() }),
  run: async (tx, context, { subscription_id: subscriptionId }) => {
    const shown = await loadShownChat(tx, context)
    if (shown.chat.contactId !== null)
      throw new FormError('validation_failed', 'Only a chat with sample values can be sent as a test event.')
    if (subscriptionId === undefined) throw new FormError('validation_failed', 'Choose a receiver.')
    const delivery = await sendTestEvent(tx, context.workspace.id, subscriptionId, toCallValues(shown))
    const to = pathTo(context, `/integrations/deliveries/${delivery}`)
    return redirectTo(to, 'Test event queued. The response appears on this page.')
  },
  back: chatPath,
})
