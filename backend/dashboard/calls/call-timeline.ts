import type { Call } from '@outdial/contract'
import type { findAttemptsOfCall, findCallRules, findToolCallsOfCall } from '../../calls/history-store.ts'
import type { findEventOfCall } from './call-queries.ts'
import { outcomeSign, type Tone } from '../page/badges.ts'
import { endedReasonInWords } from './in-words.ts'

type Attempt = Awaited<ReturnType<typeof findAttemptsOfCall>>[number]
type ToolCall = Awaited<ReturnType<typeof findToolCallsOfCall>>[number]
type Rules = NonNullable<Awaited<ReturnType<typeof findCallRules>>>

/** What is known of a call's history, as the tables hold it. */
export interface History {
  call: Call
  rules: Rules
  attempts: Attempt[]
  toolCalls: ToolCall[]
  event: Awaited<ReturnType<typeof findEventOfCall>>
  /** To how many it goes. */
  deliveries: number
}

/** One thing that happened. */
export interface Moment {
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
export function timelineOf(history: History): Moment[] {
  const { call, attempts, toolCalls } = history
  const past = [
    queuedMoment(call),
    ...attempts.flatMap((attempt) => [
      ...attemptMoments(attempt),
      ...toolCalls.filter(({ attempt_id }) => attempt_id === attempt.id).map(toolMoment),
      ...endMoment(attempt),
    ]),
    ...completedMoment(call, attempts),
    ...eventMoment(history),
  ]
  const inOrder = past.sort((one, other) => timeOf(one) - timeOf(other))
  return [...inOrder, ...toCome(history)]
}

const timeOf = ({ at }: Moment) => at?.getTime() ?? Infinity

const moment = (at: Date | null, tone: Tone, title: string, detail = ''): Moment => ({
  at,
  tone,
  title,
  detail,
  tool: null,
})

function queuedMoment(call: Call): Moment {
  const title = call.test ? 'Queued, as a test call' : 'Queued'
  const by = call.scheduled_at === null ? '' : 'It was asked for a later time.'
  return moment(new Date(call.queued_at), 'mute', title, by)
}

function attemptMoments(attempt: Attempt): Moment[] {
  const line = attempt.line === 'simulated' ? 'On the simulated line: no phone rings.' : ''
  const dialed = moment(attempt.started_at, 'live', `Attempt ${attempt.number}: dialed`, line)
  if (attempt.answered_at === null) return [dialed]
  return [dialed, moment(attempt.answered_at, 'good', 'Answered')]
}

function endMoment(attempt: Attempt): Moment[] {
  if (attempt.ended_at === null || attempt.outcome === null) return []
  const { tone, text } = outcomeSign(attempt.outcome)
  const why = attempt.ended_reason === null ? '' : endedReasonInWords(attempt.ended_reason)
  const title = attempt.answered_at === null ? text : `Ended: ${text.toLowerCase()}`
  return [moment(attempt.ended_at, tone, title, why)]
}

const toolMoment = (call: ToolCall): Moment => ({
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
function completedMoment(call: Call, attempts: readonly Attempt[]): Moment[] {
  if (call.outcome === null || call.ended_at === null) return []
  if (attempts.at(-1)?.outcome === call.outcome && attempts.at(-1)?.ended_reason === call.ended_reason)
    return []
  const { tone, text } = outcomeSign(call.outcome)
  const why = call.ended_reason === null ? '' : endedReasonInWords(call.ended_reason)
  return [moment(new Date(call.ended_at), tone, `Completed: ${text.toLowerCase()}`, why)]
}

function eventMoment({ call, event, deliveries }: History): Moment[] {
  if (event === undefined) return []
  const analysed = call.outcome === 'answered' && call.summary !== null
  const title = analysed ? 'Analysed, and the event was made' : 'The event was made'
  const receivers = deliveries === 0 ? 'Nobody was subscribed to it.' : ''
  return [moment(event.created_at, 'mute', title, `${event.type} ${event.id}. ${receivers}`.trim())]
}

function toCome({ call, rules, event }: History): Moment[] {
  if (call.status === 'queued') return [moment(null, 'live', 'Waiting')]
  if (call.status === 'dialing') return [moment(null, 'live', 'Ringing')]
  if (call.status === 'in_progress') return [moment(null, 'live', 'Talking')]
  if (event === undefined && rules.analysis_until !== null) {
    return [
      moment(null, 'live', 'The talk is being analysed', 'Its event is made then, or after two minutes.'),
    ]
  }
  return []
}
