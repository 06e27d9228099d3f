import { type Call, type EndedReason, endedReasonTexts, waitingForTexts } from '@outdial/contract'
import { outcomeBadge, type Tone } from '../views/badges.ts'
import { formatCount, type TimeFormats } from '../views/format.ts'
import type {
  findAttemptsOfCall,
  findCallDetails,
  findEventOfCall,
  findToolCallsOfCall,
} from './call-queries.ts'
import { describeDialing } from './describe-settings.ts'

type Attempt = Awaited<ReturnType<typeof findAttemptsOfCall>>[number]
type ToolCall = Awaited<ReturnType<typeof findToolCallsOfCall>>[number]
type CallDetails = NonNullable<Awaited<ReturnType<typeof findCallDetails>>>

/** The rows that a timeline is built from. */
interface CallHistory {
  call: Call
  details: CallDetails
  attempts: Attempt[]
  toolCalls: ToolCall[]
  event: Awaited<ReturnType<typeof findEventOfCall>>
  /** Number of deliveries of the event. */
  deliveries: number
}

export interface TimelineEntry {
  /** Null for the current step. */
  at: Date | null
  tone: Tone
  title: string
  detail: string
  /** Set if the agent used a tool. */
  tool: ShownTool | null
}

interface ShownTool {
  name: string
  arguments: string
  result: string
  ms: number
  isError: boolean
  dryRun: boolean
}

/** Builds a call's timeline: what happened, in order, and then the current step. */
export function buildTimeline(history: CallHistory): TimelineEntry[] {
  const { call, details, attempts, toolCalls } = history
  const past = [
    queuedEntry(call),
    ...attempts.flatMap((attempt) => [
      ...attemptEntries(attempt, details),
      ...toolCalls.filter(({ attempt_id }) => attempt_id === attempt.id).map(toolCallEntry),
      ...attemptEndedEntries(attempt),
    ]),
    ...completedEntries(call, attempts),
    ...eventEntries(history),
  ]
  const inOrder = past.sort((one, other) => entryTime(one) - entryTime(other))
  return [...inOrder, ...upcomingEntries(history)]
}

const entryTime = ({ at }: TimelineEntry) => at?.getTime() ?? Infinity

const timelineEntry = (at: Date | null, tone: Tone, title: string, detail = ''): TimelineEntry => ({
  at,
  tone,
  title,
  detail,
  tool: null,
})

function queuedEntry(call: Call): TimelineEntry {
  const title = call.test ? 'Queued as a test call' : 'Queued'
  const detail = call.scheduled_at === null ? '' : 'Scheduled for a later time.'
  return timelineEntry(new Date(call.queued_at), 'mute', title, detail)
}

function attemptEntries(attempt: Attempt, { queued_with: queuedWith }: CallDetails): TimelineEntry[] {
  const simulated = attempt.provider === 'simulated' ? 'The call is simulated, so no phone rings.' : ''
  const detail = [describeDialing(attempt, queuedWith), simulated].filter(Boolean).join(' ')
  const dialed = timelineEntry(attempt.started_at, 'live', `Attempt ${attempt.number}: dialed`, detail)
  if (attempt.answered_at === null) return [dialed]
  return [dialed, timelineEntry(attempt.answered_at, 'good', 'Answered')]
}

function attemptEndedEntries(attempt: Attempt): TimelineEntry[] {
  if (attempt.ended_at === null || attempt.outcome === null) return []
  const { tone, text } = outcomeBadge(attempt.outcome)
  const why = attempt.ended_reason === null ? '' : formatEndedReason(attempt.ended_reason)
  const title = attempt.answered_at === null ? text : `Ended with the outcome ${text}`
  return [timelineEntry(attempt.ended_at, tone, title, why)]
}

const toolCallEntry = (call: ToolCall): TimelineEntry => ({
  at: call.started_at,
  tone: call.is_error ? 'bad' : 'mute',
  title: `The agent used ${call.tool_name}`,
  detail: '',
  tool: {
    name: call.tool_name,
    arguments: JSON.stringify(call.arguments, null, 2),
    result: call.result,
    ms: call.duration_ms,
    isError: call.is_error,
    dryRun: call.dry_run,
  },
})

/** Returns an entry for the end of a call, unless the entry of the last attempt already shows it. */
function completedEntries(call: Call, attempts: readonly Attempt[]): TimelineEntry[] {
  if (call.outcome === null || call.ended_at === null) return []
  if (attempts.at(-1)?.outcome === call.outcome && attempts.at(-1)?.ended_reason === call.ended_reason)
    return []
  const { tone, text } = outcomeBadge(call.outcome)
  const why = call.ended_reason === null ? '' : formatEndedReason(call.ended_reason)
  return [timelineEntry(new Date(call.ended_at), tone, `Completed with the outcome ${text}`, why)]
}

function eventEntries({ call, event, deliveries }: CallHistory): TimelineEntry[] {
  if (event === undefined) return []
  const isAnalyzed = call.outcome === 'answered' && call.summary !== null
  const title = isAnalyzed ? 'Conversation analyzed and event created' : 'Event created'
  const receivers = deliveries === 0 ? 'No webhook deliveries.' : ''
  return [timelineEntry(event.created_at, 'mute', title, `${event.type} ${event.id}. ${receivers}`.trim())]
}

function upcomingEntries({ call, details, event }: CallHistory): TimelineEntry[] {
  if (call.status === 'queued') return [timelineEntry(null, 'live', 'Waiting')]
  if (call.status === 'dialing') return [timelineEntry(null, 'live', 'Dialing')]
  if (call.status === 'in_progress') return [timelineEntry(null, 'live', 'In progress')]
  if (event === undefined && details.analysis_until !== null) {
    return [
      timelineEntry(
        null,
        'live',
        'Analyzing the conversation',
        'The event is created when the analysis is done, or after two minutes if the analysis takes longer.',
      ),
    ]
  }
  return []
}

export const formatEndedReason = (reason: EndedReason): string => endedReasonTexts[reason].meaning

/** Returns why a queued call waits and what happens next. */
export function describeWaitingFor(
  call: Call,
  details: CallDetails,
  now: Date,
  timeFormats: TimeFormats,
): string {
  const formatTime = (at: string | Date | null) =>
    at === null ? 'soon' : timeFormats.upcomingTime(new Date(at))
  const next = formatTime(call.next_attempt_at)
  const after =
    new Date(details.due_at) > now ? ` It won't be placed before ${formatTime(details.due_at)}.` : ''
  switch (call.waiting_for) {
    case 'schedule':
      return `Scheduled for ${formatTime(call.scheduled_at)}. Next attempt: ${next}.`
    case 'calling_hours':
      return `${waitingForTexts.calling_hours.meaning} Next attempt: ${next}.`
    case 'concurrency':
      return `${waitingForTexts.concurrency.meaning} The campaign's maximum is ${formatCount(details.max_concurrent_calls)}.`
    case 'campaign_paused':
      return `${waitingForTexts.campaign_paused.meaning} Resume it to place this call.${after}`
    case 'agent_not_live':
      return `The agent ${call.agent_name} isn't Live. Publish or resume it to place this call.${after}`
    case 'number_not_active':
      return `The phone number ${details.number_label} is retired. Activate it to place this call.${after}`
    case 'retry':
      return `Waiting to retry after attempt ${call.attempts} of ${details.retry.max_attempts}. Next attempt: ${next}.`
    case null:
      return 'Next in line. The call will be dialed in a few seconds.'
  }
}
