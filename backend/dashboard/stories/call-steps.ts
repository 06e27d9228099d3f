import type { Call } from '@outdial/contract'
import type { CallOrigin } from '../../platform/core/actor.ts'
import { outcomeBadge } from '../../platform/views/badges.ts'
import { formatMilliseconds } from '../../platform/views/format.ts'
import type { CallHistory } from './call-history.ts'
import { type LinkedText, toText } from './describe-actor.ts'
import { describeEnd, formatEndedReason } from './describe-call.ts'
import { toDeliverySteps } from './describe-deliveries.ts'
import { describeRequest, formatCredential, formatRequestLine } from './describe-request.ts'
import { describeDialing } from './describe-settings.ts'
import type { RequestRow } from './request-queries.ts'
import { inOrder, type Step, step } from './story.ts'

type Attempt = CallHistory['attempts'][number]
type ToolCall = CallHistory['toolCalls'][number]

/**
 * Returns what happened to a call, in order, and then the current step.
 *
 * @param timeZone of the workspace
 */
export function toCallSteps(history: CallHistory, timeZone: string): Step[] {
  const { call, details, attempts, toolCalls, changedReports, requests, changes, origin } = history
  const past = [
    ...requests.map(toRequestStep),
    ...changes,
    queuedStep(call, describeQueuing(details.origin, origin)),
    ...attempts.flatMap((attempt) => [
      ...attemptSteps(attempt, details.queued_with, timeZone),
      ...toolCalls.filter(({ attempt_id }) => attempt_id === attempt.id).map(toolCallStep),
      ...attemptEndedSteps(attempt),
    ]),
    ...changedReports.map(changedReportStep),
    ...completedSteps(history),
    ...toDeliverySteps(history, call.outcome === 'answered' && call.summary !== null),
  ]
  return [...inOrder(past), ...currentSteps(history)]
}

export function toRequestStep(request: RequestRow): Step {
  const { at, status, request_id: requestId, client_version: client, duration_ms: ms } = request
  const sender = `${formatCredential(request)}${client === null ? '' : ` (${client})`}`
  return step(
    at,
    status >= 400 ? 'bad' : 'mute',
    `Request ${formatRequestLine(request)}: ${status}`,
    `${describeRequest(request)} Request ID ${requestId}, from ${sender}, ${formatMilliseconds(ms)}.`,
    `/settings/api-log/${request.id}`,
  )
}

/** Returns “By Zapier, connected by Robin.”, or “Scheduled callback from call 12.” */
function describeQueuing(origin: CallOrigin | null, queuedBy: LinkedText): string {
  const by = origin === null || origin.kind === 'scheduled_callback' ? '' : 'By '
  return `${by}${toText(queuedBy)}.`
}

function queuedStep(call: Call, queuedBy: string): Step {
  const title = call.test ? 'Queued as a test call' : 'Queued'
  const detail = `${queuedBy}${call.scheduled_at === null ? '' : ' Scheduled for a later time.'}`
  return step(new Date(call.queued_at), 'mute', title, detail)
}

function attemptSteps(
  attempt: Attempt,
  queuedWith: CallHistory['details']['queued_with'],
  timeZone: string,
): Step[] {
  const simulated = attempt.provider === 'simulated' ? 'The call is simulated, so no phone rings.' : ''
  const detail = [describeDialing(attempt, queuedWith, timeZone), simulated].filter(Boolean).join(' ')
  const dialed = step(attempt.started_at, 'live', `Attempt ${attempt.number}: dialed`, detail)
  if (attempt.answered_at === null) return [dialed]
  const pickedUp =
    attempt.outcome === 'voicemail'
      ? step(attempt.answered_at, outcomeBadge('voicemail').tone, 'Picked up by voicemail')
      : step(attempt.answered_at, 'good', 'Answered')
  return [dialed, pickedUp]
}

function attemptEndedSteps(attempt: Attempt): Step[] {
  if (attempt.ended_at === null || attempt.outcome === null) return []
  const { tone, text } = outcomeBadge(attempt.outcome)
  const why = attempt.ended_reason === null ? '' : formatEndedReason(attempt.ended_reason)
  const title = attempt.answered_at === null ? text : `Ended with the outcome ${text}`
  return [step(attempt.ended_at, tone, title, why)]
}

const toolCallStep = (call: ToolCall): Step => ({
  ...step(call.started_at, call.is_error ? 'bad' : 'mute', `The agent used ${call.tool_name}`),
  tool: {
    name: call.tool_name,
    arguments: JSON.stringify(call.arguments, null, 2),
    result: call.result,
    ms: call.duration_ms,
    isError: call.is_error,
    dryRun: call.dry_run,
  },
})

const changedReportStep = ({ received_at, changes }: CallHistory['changedReports'][number]): Step =>
  step(received_at, 'mute', "Outdial changed the agent runtime's report", `${changes.join('. ')}.`)

/** Returns a step for the end of a call, unless the step of the last call attempt already shows it. */
function completedSteps(history: CallHistory): Step[] {
  const { call, attempts } = history
  if (call.outcome === null || call.ended_at === null) return []
  if (attempts.at(-1)?.outcome === call.outcome && attempts.at(-1)?.ended_reason === call.ended_reason)
    return []
  const { tone, text } = outcomeBadge(call.outcome)
  return [step(new Date(call.ended_at), tone, `Completed with the outcome ${text}`, describeEnd(history))]
}

function currentSteps({ call, details, event }: CallHistory): Step[] {
  if (call.status === 'queued') return [step(null, 'live', 'Waiting')]
  if (call.status === 'dialing') return [step(null, 'live', 'Dialing')]
  if (call.status === 'in_progress') return [step(null, 'live', 'In progress')]
  if (event !== undefined || details.analysis_until === null) return []
  const detail =
    'The event is created when the analysis is done, or after two minutes if the analysis takes longer.'
  return [step(null, 'live', 'Analyzing the conversation', detail)]
}
