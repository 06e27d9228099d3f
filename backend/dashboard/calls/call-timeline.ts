import type { Call, EndedReason } from '@outdial/contract'
import { outcomeBadge, type Tone } from '../page/badges.ts'
import type { TimeFormats } from '../page/format.ts'
import type {
  findAttemptsOfCall,
  findCallDetails,
  findEventOfCall,
  findToolCallsOfCall,
} from './call-queries.ts'

type Attempt = Awaited<ReturnType<typeof findAttemptsOfCall>>[number]
type ToolCall = Awaited<ReturnType<typeof findToolCallsOfCall>>[number]
type CallDetails = NonNullable<Awaited<ReturnType<typeof findCallDetails>>>

/** What is known of a call's history, as the tables hold it. */
interface CallHistory {
  call: Call
  details: CallDetails
  attempts: Attempt[]
  toolCalls: ToolCall[]
  event: Awaited<ReturnType<typeof findEventOfCall>>
  /** To how many it goes. */
  deliveries: number
}

/** One thing that happened. */
export interface TimelineEntry {
  /** Null for what is still to come. */
  at: Date | null
  tone: Tone
  title: string
  detail: string
  /** A tool that the agent used. */
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

/** What happened to a call, in order, and last what goes on. */
export function buildTimeline(history: CallHistory): TimelineEntry[] {
  const { call, attempts, toolCalls } = history
  const past = [
    queuedEntry(call),
    ...attempts.flatMap((attempt) => [
      ...attemptEntries(attempt),
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
  const title = call.test ? 'Queued, as a test call' : 'Queued'
  const detail = call.scheduled_at === null ? '' : 'It was asked for a later time.'
  return timelineEntry(new Date(call.queued_at), 'mute', title, detail)
}

function attemptEntries(attempt: Attempt): TimelineEntry[] {
  const detail = attempt.provider === 'simulated' ? 'On the simulated line: no phone rings.' : ''
  const dialed = timelineEntry(attempt.started_at, 'live', `Attempt ${attempt.number}: dialed`, detail)
  if (attempt.answered_at === null) return [dialed]
  return [dialed, timelineEntry(attempt.answered_at, 'good', 'Answered')]
}

function attemptEndedEntries(attempt: Attempt): TimelineEntry[] {
  if (attempt.ended_at === null || attempt.outcome === null) return []
  const { tone, text } = outcomeBadge(attempt.outcome)
  const why = attempt.ended_reason === null ? '' : formatEndedReason(attempt.ended_reason)
  const title = attempt.answered_at === null ? text : `Ended: ${text.toLowerCase()}`
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

/** The end of a call, where it is not that of its last attempt. */
function completedEntries(call: Call, attempts: readonly Attempt[]): TimelineEntry[] {
  if (call.outcome === null || call.ended_at === null) return []
  if (attempts.at(-1)?.outcome === call.outcome && attempts.at(-1)?.ended_reason === call.ended_reason)
    return []
  const { tone, text } = outcomeBadge(call.outcome)
  const why = call.ended_reason === null ? '' : formatEndedReason(call.ended_reason)
  return [timelineEntry(new Date(call.ended_at), tone, `Completed: ${text.toLowerCase()}`, why)]
}

function eventEntries({ call, event, deliveries }: CallHistory): TimelineEntry[] {
  if (event === undefined) return []
  const isAnalyzed = call.outcome === 'answered' && call.summary !== null
  const title = isAnalyzed ? 'Analysed, and the event was made' : 'The event was made'
  const receivers = deliveries === 0 ? 'Nobody was subscribed to it.' : ''
  return [timelineEntry(event.created_at, 'mute', title, `${event.type} ${event.id}. ${receivers}`.trim())]
}

function upcomingEntries({ call, details, event }: CallHistory): TimelineEntry[] {
  if (call.status === 'queued') return [timelineEntry(null, 'live', 'Waiting')]
  if (call.status === 'dialing') return [timelineEntry(null, 'live', 'Ringing')]
  if (call.status === 'in_progress') return [timelineEntry(null, 'live', 'Talking')]
  if (event === undefined && details.analysis_until !== null) {
    return [
      timelineEntry(
        null,
        'live',
        'The talk is being analysed',
        'Its event is made then, or after two minutes.',
      ),
    ]
  }
  return []
}

const endedReasonLabels: Record<EndedReason, string> = {
  agent_hung_up: 'The agent ended the talk.',
  contact_hung_up: 'The contact hung up.',
  call_limit_reached: 'The talk reached the longest time that a call may take, 30 minutes.',
  voicemail_reached: 'A voicemail answered.',
  ring_timeout: 'It rang, and nobody answered.',
  line_busy: 'The line was busy.',
  contact_declined: 'The contact declined the call.',
  line_failed: 'The phone line failed, so that the call was not put through.',
  worker_lost: 'The connection to the call was lost on our side.',
  do_not_call: 'The number is on the do-not-call list.',
  not_attempted_in_time: 'No attempt was possible within 7 days.',
  campaign_archived: 'Its campaign was archived while it waited.',
  contact_erased: 'The contact was erased while it waited.',
  canceled_by_user: 'Somebody canceled it while it waited.',
}

export const formatEndedReason = (reason: EndedReason): string => endedReasonLabels[reason]

/** What a queued call waits for and why, as a sentence. */
export function describeWaitingFor(
  call: Call,
  details: CallDetails,
  now: Date,
  timeFormats: TimeFormats,
): string {
  const formatTime = (at: string | Date | null) =>
    at === null ? 'soon' : timeFormats.upcomingTime(new Date(at))
  const next = formatTime(call.next_attempt_at)
  const after = new Date(details.due_at) > now ? ` Not before ${formatTime(details.due_at)}.` : ''
  switch (call.waiting_for) {
    case 'schedule':
      return `Waits for its time: it was asked for ${formatTime(call.scheduled_at)}, next attempt ${next}.`
    case 'calling_hours':
      return `Waits for calling hours: next attempt ${next}.`
    case 'concurrency':
      return `Waits for a free line: the campaign makes ${details.max_concurrent_calls} calls at once, or the number is being called already.`
    case 'campaign_paused':
      return `Waits because its campaign is paused: it goes on when somebody resumes it.${after}`
    case 'agent_not_live':
      return `Waits because ${call.agent_name} is not live: it goes on when the agent is.${after}`
    case 'number_not_active':
      return `Waits because the number ${details.number_label} is retired: it goes on when that is active again.${after}`
    case 'retry':
      return `Waits for another attempt, after ${call.attempts} of at most ${details.retry.max_attempts}: next attempt ${next}.`
    case null:
      return 'Waits for its turn: nothing hinders it, and it is dialed within moments.'
  }
}
