import type { Call } from '@outdial/contract'
import type { findAttemptsOfCall, findCallDetails, findToolCallsOfCall } from '../../calls/history-store.ts'
import type { findEventOfCall } from './call-queries.ts'
import { outcomeBadge, type Tone } from '../page/badges.ts'
import { formatEndedReason } from './in-words.ts'

type Attempt = Awaited<ReturnType<typeof findAttemptsOfCall>>[number]
type ToolCall = Awaited<ReturnType<typeof findToolCallsOfCall>>[number]
type CallRules = NonNullable<Awaited<ReturnType<typeof findCallDetails>>>

/** What is known of a call's history, as the tables hold it. */
export interface CallHistory {
  call: Call
  rules: CallRules
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

export interface ShownTool {
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
  const detail = attempt.line === 'simulated' ? 'On the simulated line: no phone rings.' : ''
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

function upcomingEntries({ call, rules, event }: CallHistory): TimelineEntry[] {
  if (call.status === 'queued') return [timelineEntry(null, 'live', 'Waiting')]
  if (call.status === 'dialing') return [timelineEntry(null, 'live', 'Ringing')]
  if (call.status === 'in_progress') return [timelineEntry(null, 'live', 'Talking')]
  if (event === undefined && rules.analysis_until !== null) {
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
