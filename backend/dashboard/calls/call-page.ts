import type { Call } from '@outdial/contract'
import { getCall } from '../../calls/get-calls.ts'
import { secondMs } from '../../core/durations.ts'
import type { UnmatchedSubscription } from '../../db/tables/webhook-tables.ts'
import type { Deps } from '../../deps.ts'
import {
  findAttemptsOfCall,
  findCallDetails,
  findEventOfCall,
  findToolCallsOfCall,
  selectAttemptsOfEvent,
  selectDeliveriesOfEvent,
} from '../../support/call-queries.ts'
import {
  buildTimeline,
  describeWaitingFor,
  formatEndedReason,
  type TimelineEntry,
} from '../../support/call-timeline.ts'
import { describeOrigin, type LinkedText } from '../../support/describe-actor.ts'
import { describeSettings } from '../../support/describe-settings.ts'
import { type Badge, callBadge, deliveryBadge, type Tone } from '../../views/badges.ts'
import { createTimeFormats, formatContactName } from '../../views/format.ts'
import { definePage, noInput, template } from '../page/define-page.ts'
import { IdParams } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'

interface CallData {
  call: Call
  name: string
  badge: Badge
  endedMessage: string
  /** Why the call isn't dialed yet; null if it isn't waiting. */
  wait: Wait | null
  timeline: TimelineEntry[]
  transcript: {
    role: 'agent' | 'contact' | 'tool'
    speaker: string
    text: string
    at: string
    offset: string
  }[]
  /** True if there is a summary, sentiment, or extracted value to show. */
  hasResult: boolean
  extracted: [string, string][]
  metadata: [string, string][]
  variables: [string, string][]
  /** The settings that were in effect when the call was queued. */
  madeWith: { label: string; value: string }[]
  sentiment: Badge | null
  goal: Badge | null
  conversationErased: boolean
  /** Empty if there is no recording, or its URL isn't an HTTP URL. */
  recordingUrl: string
  deliveries: ShownDelivery[]
  /** Null for an event from before this was stored. */
  unmatched: { rows: { id: number; reason: string }[]; more: number } | null
  eventId: string
  numberLabel: string
  /** Who or what queued the call. */
  origin: LinkedText
  isLive: boolean
  canCancel: boolean
  canQueueAgain: boolean
}

/** `link` opens the page where a person can resolve why the call waits. */
interface Wait {
  tone: Tone
  message: string
  link: { path: string; label: string } | null
}

const callView = template<CallData>('dashboard/calls/call-page')

/** More than agents normally make in one call. */
const maxToolCalls = 500

export const callPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, context) => {
    const call = await getCall(deps, context.caller, context.params.id)
    return callView(`Call ${call.id}`, await readPage(deps, call, context.workspace))
  },
})

async function readPage(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  call: Call,
  workspace: { id: number; timeZone: string },
): Promise<CallData> {
  const now = clock.now()
  const timeFormats = createTimeFormats(now, workspace.timeZone)
  const [details, attempts, toolCalls, event] = await Promise.all([
    findCallDetails(db, workspace.id, call.id),
    findAttemptsOfCall(db, workspace.id, call.id),
    findToolCallsOfCall(db, workspace.id, call.id, maxToolCalls),
    findEventOfCall(db, workspace.id, call.id),
  ])
  if (details === undefined) throw pageNotFound() // the workspace was just deleted
  const [deliveryRows, deliveryAttempts] =
    event === undefined
      ? [[], []]
      : await Promise.all([
          selectDeliveriesOfEvent(db, workspace.id, event.id),
          selectAttemptsOfEvent(db, workspace.id, event.id),
        ])
  const extracted = Object.entries(call.extracted).map(([key, value]): [string, string] => [
    key,
    formatExtractedValue(value),
  ])
  const resultBadges = toResultBadges(call)
  const history = { call, details, attempts, toolCalls, event, deliveries: deliveryRows.length }
  return {
    call,
    name: formatContactName(call.contact, call.to_number),
    badge: callBadge(call),
    endedMessage: call.ended_reason === null ? '' : formatEndedReason(call.ended_reason),
    wait:
      call.status === 'queued'
        ? toWait(call, details.paused_reason, describeWaitingFor(call, details, now, timeFormats))
        : null,
    timeline: buildTimeline(history),
    transcript: toTranscript(call),
    hasResult:
      call.status === 'completed' &&
      (Boolean(call.summary) || resultBadges.sentiment !== null || extracted.length > 0),
    extracted,
    metadata: Object.entries(call.metadata),
    variables: Object.entries(call.contact.variables),
    madeWith: describeSettings(details.queued_with, workspace.timeZone),
    ...resultBadges,
    recordingUrl: /^https?:/.test(call.recording_url ?? '') ? (call.recording_url ?? '') : '',
    conversationErased: details.conversation_erased_at !== null,
    deliveries: toShownDeliveries(deliveryRows, deliveryAttempts),
    unmatched: toUnmatched(event, call),
    eventId: event?.id ?? '',
    numberLabel: details.number_label,
    origin: await describeOrigin(db, workspace.id, details.origin),
    isLive: event === undefined || deliveryRows.some(({ status }) => status === 'pending'),
    canCancel: call.status === 'queued',
    canQueueAgain:
      call.status === 'completed' && call.to_number !== '' && details.campaign_status !== 'archived',
  }
}

function toWait(call: Call, pausedReason: string | null, message: string): Wait {
  if (call.waiting_for === 'campaign_paused') {
    const reason = pausedReason ? ` ${pausedReason}` : ''
    const link = { path: `/campaigns/${call.campaign_id}`, label: 'Open campaign' }
    return { tone: 'warn', message: `${message}${reason}`, link }
  }
  if (call.waiting_for === 'agent_not_live') {
    return { tone: 'warn', message, link: { path: `/agents/${call.agent_id}`, label: 'Open agent' } }
  }
  if (call.waiting_for === 'number_not_active') {
    return { tone: 'warn', message, link: { path: '/phone-numbers', label: 'Open phone numbers' } }
  }
  return { tone: 'mute', message, link: null }
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

type Delivery = Awaited<ReturnType<typeof selectDeliveriesOfEvent>>[number]
type DeliveryAttempt = Awaited<ReturnType<typeof selectAttemptsOfEvent>>[number]

interface ShownDelivery {
  id: number
  target: string
  /** Null for a callback URL of the call. */
  subscriptionId: number | null
  badge: Badge
  attempts: { number: number; at: Date; ms: number; result: string }[]
  nextAttemptAt: Date | null
  /** No attempts are left, and its subscription is still enabled. */
  canReplay: boolean
}

/** Returns the deliveries of an event, each with its attempts. */
const toShownDeliveries = (
  deliveries: readonly Delivery[],
  attempts: readonly DeliveryAttempt[],
): ShownDelivery[] =>
  deliveries.map((delivery) => {
    const deliveryAttempts = attempts.filter(({ delivery_id }) => delivery_id === delivery.id)
    return {
      id: delivery.id,
      target: delivery.target_url,
      subscriptionId: delivery.subscription_id,
      badge: deliveryBadge(delivery.status, deliveryAttempts.length, delivery.ended_reason),
      attempts: deliveryAttempts.map((one) => ({
        number: one.number,
        at: one.at,
        ms: one.duration_ms,
        result: formatAttemptResult(one),
      })),
      nextAttemptAt: delivery.next_attempt_at,
      canReplay:
        delivery.status === 'exhausted' &&
        delivery.disabled_at === null &&
        delivery.ended_reason === null &&
        delivery.callback_ended_at === null,
    }
  })

const describeUnmatched = (reason: UnmatchedSubscription['reason'], call: FilteredCall): string =>
  ({
    disabled: 'it was disabled',
    campaign_id: 'its filter selects another campaign',
    agent_id: 'its filter selects another agent',
    outcome: "its filter doesn't include this outcome",
    goal_met:
      call.goal_met === null
        ? 'its filter depends on the goal, which is unknown for this call'
        : `its filter selects calls that ${call.goal_met ? "didn't meet" : 'met'} their goal`,
    test: call.test ? 'its filter excludes test calls' : 'its filter selects only test calls',
  })[reason]

type FilteredCall = Pick<Call, 'goal_met' | 'test'>

/** Returns the subscriptions that the event wasn't sent to, and why. Null if that wasn't stored. */
function toUnmatched(
  event: Awaited<ReturnType<typeof findEventOfCall>>,
  call: FilteredCall,
): CallData['unmatched'] {
  if (!event?.unmatched) return null
  const rows = event.unmatched.map(({ id, reason }) => ({ id, reason: describeUnmatched(reason, call) }))
  return { rows, more: (event.unmatched_count ?? 0) - rows.length }
}

function formatAttemptResult({ status_code, error }: DeliveryAttempt): string {
  if (error === null) return `HTTP ${status_code ?? ''}`.trim()
  return error.charAt(0).toUpperCase() + error.slice(1)
}
