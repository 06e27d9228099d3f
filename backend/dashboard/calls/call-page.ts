import { boundedText, type Call } from '@outdial/contract'
import * as z from 'zod'
import { getCall } from '../../calls/get-calls.ts'
import { findNumberError } from '../../contacts/call-contact.ts'
import { secondMs } from '../../core/durations.ts'
import type { Deps } from '../../deps.ts'
import { type CallHistory, readCallHistory } from '../../support/call-history.ts'
import { describeGreeting } from '../../support/describe-call.ts'
import { hasNoReceivers } from '../../support/describe-deliveries.ts'
import { describeSettings } from '../../support/describe-settings.ts'
import { findRemedy } from '../../support/describe-waiting.ts'
import { toCallStory } from '../../support/read-story.ts'
import { type Badge, callBadge, deliveryBadge } from '../../views/badges.ts'
import { toWebLink } from '../../views/elements.ts'
import { formatContactName } from '../../views/format.ts'
import { definePage } from '../page/define-page.ts'
import { IdParams } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { joinSentences } from '../page/queued-message.ts'
import { describeAgainLimit } from './again-limit.ts'
import { CallsQuery, filterParams, toQueryString } from './call-filter.ts'
import { type CallData, callView, type ShownDelivery } from './call-view.ts'

export const callPage = definePage({
  params: IdParams,
  query: z.object({ list: boundedText(2_000).catch('') }),
  show: async (deps, context) => {
    const call = await getCall(deps, context.caller, context.params.id)
    const list = CallsQuery.parse(Object.fromEntries(new URLSearchParams(context.query.list)))
    const listQuery = toQueryString(filterParams(list))
    return callView(`Call ${call.id}`, { ...(await readPage(deps, call, context.workspace)), listQuery })
  },
})

async function readPage(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  call: Call,
  workspace: { id: number; name: string; timeZone: string },
): Promise<Omit<CallData, 'listQuery'>> {
  const { clock } = deps
  const history = await readCallHistory(deps, workspace, call)
  if (history === undefined) throw pageNotFound() // the workspace was just deleted
  const { details, event, deliveries, wait } = history
  const links = toLinks(history)
  const { sentences, steps } = toCallStory(history, workspace, clock.now())
  const [cause = '', ...others] = sentences
  const greetingIssues = describeGreeting(history)
  const extracted = Object.entries(call.extracted).map(([key, value]): [string, string] => [
    key,
    formatExtractedValue(value),
  ])
  const resultBadges = toResultBadges(call)
  const canQueueAgain =
    call.status === 'completed' &&
    call.to_number !== '' &&
    details.campaign_status !== 'archived' &&
    (await findNumberError(deps, workspace.id, { phoneNumber: call.to_number, test: call.test })) === null
  const limit =
    canQueueAgain && !call.test
      ? await describeAgainLimit(deps, {
          workspaceId: workspace.id,
          contactId: call.contact.id,
          campaignId: call.campaign_id,
        })
      : null
  return {
    call,
    name: formatContactName(call.contact, call.to_number),
    badge: callBadge(call),
    cause,
    greetingIssues,
    notes: others.filter((sentence) => !greetingIssues.includes(sentence)),
    waitTone: call.status !== 'queued' ? null : links.length > 0 ? 'warn' : 'mute',
    links,
    nextAttemptAt: wait?.nextAt ?? null,
    steps,
    transcript: toTranscript(call),
    hasResult:
      call.status === 'completed' &&
      (Boolean(call.summary) ||
        resultBadges.sentiment !== null ||
        extracted.length > 0 ||
        call.opted_out === true),
    extracted,
    metadata: Object.entries(call.metadata),
    variables: Object.entries(call.contact.variables),
    madeWith: describeSettings(details.queued_with, workspace.timeZone),
    ...resultBadges,
    recordingUrl: toWebLink(call.recording_url),
    conversationErased: details.conversation_erased_at !== null,
    deliveries: toShownDeliveries(history),
    hasNoReceivers: hasNoReceivers(event, deliveries),
    eventId: event?.id ?? '',
    numberLabel: details.number_label,
    origin: history.origin,
    isLive: event === undefined || deliveries.some(({ status }) => status === 'pending'),
    canCancel: call.status === 'queued',
    canQueueAgain,
    againDetail: call.test
      ? 'A test call is queued. No phone rings.'
      : joinSentences(
          `A call to ${call.to_number} is queued in the campaign “${call.campaign_name}”.`,
          limit,
        ),
    isAgainLimited: limit !== null,
  }
}

/** Links to what a person can do about a waiting call, and to who put its number on the do-not-call list. */
function toLinks({ call, wait, doNotCall }: CallHistory): CallData['links'] {
  const remedy = wait && findRemedy(wait)
  if (remedy) return [remedy]
  if (call.ended_reason !== 'do_not_call') return []
  const calls = (doNotCall?.addedBy ?? []).flatMap(({ text, path }) =>
    path !== undefined && /^.calls.\d+$/.test(path) ? [{ path, label: `Open ${text}` }] : [],
  )
  return [{ path: `/contacts/${call.contact.id}`, label: 'Open contact' }, ...calls]
}

const speakerLabels = { agent: 'Agent', contact: 'Contact', tool: 'Tool' }

const toTranscript = (call: Call): CallData['transcript'] =>
  call.transcript.map(({ role, text, at }) => {
    const speaker =
      role === 'agent'
        ? call.agent_name
        : (role === 'contact' && call.contact.first_name) || speakerLabels[role]
    return { role, speaker, text, at, offset: formatOffset(at, call.answered_at) }
  })

/** Formats the minutes and seconds since the call was answered. */
function formatOffset(at: string, answeredAt: string | null): string {
  if (answeredAt === null) return ''
  const seconds = Math.max(0, Math.round((Date.parse(at) - Date.parse(answeredAt)) / secondMs))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function toResultBadges({ sentiment, goal_met, outcome }: Call): {
  sentiment: Badge | null
  goal: Badge | null
} {
  if (outcome !== 'answered') return { sentiment: null, goal: null }
  return {
    sentiment: {
      tone: sentiment === 'positive' ? 'good' : sentiment === 'negative' ? 'bad' : 'mute',
      text: sentiment.charAt(0).toUpperCase() + sentiment.slice(1),
    },
    goal:
      goal_met === null
        ? { tone: 'mute', text: 'Unknown' }
        : goal_met
          ? { tone: 'good', text: 'Yes' }
          : { tone: 'warn', text: 'No' },
  }
}

function formatExtractedValue(value: string | number | boolean | null): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(value)
}

const toShownDeliveries = ({ deliveries, deliveryAttempts }: CallHistory): ShownDelivery[] =>
  deliveries.map((delivery) => {
    const attempts = deliveryAttempts.filter(({ delivery_id }) => delivery_id === delivery.id)
    return {
      id: delivery.id,
      target: delivery.target_url,
      subscriptionId: delivery.subscription_id,
      badge: deliveryBadge(delivery.status, attempts.length, delivery.ended_reason),
      nextAttemptAt: delivery.next_attempt_at,
      canReplay:
        delivery.status === 'exhausted' &&
        delivery.disabled_at === null &&
        delivery.ended_reason === null &&
        delivery.callback_ended_at === null,
    }
  })
