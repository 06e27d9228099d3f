import { type EndedReason, endedReasonTexts, waitingForTexts } from '@outdial/contract'
import { formatCount, formatPlural, formatRetryPolicy, type TimeFormats } from '../views/format.ts'
import type { CallHistory } from './call-history.ts'
import { describeDeliveries } from './describe-deliveries.ts'
import { describeMissingInGreeting } from './describe-settings.ts'

export const formatEndedReason = (reason: EndedReason): string => endedReasonTexts[reason].meaning

/** Says in sentences why a call waits or how it ended, what repeated it, and whether its event was delivered. */
export const describeCall = (history: CallHistory, now: Date, timeFormats: TimeFormats): string[] => [
  describeState(history, now, timeFormats),
  ...describeAttempts(history),
  ...describeGreeting(history),
  ...describeOtherCalls(history, timeFormats),
  ...describeDeliveries(history, history.call, timeFormats),
]

function describeState(history: CallHistory, now: Date, timeFormats: TimeFormats): string {
  const { call } = history
  switch (call.status) {
    case 'queued':
      return describeWaitingFor(history, now, timeFormats)
    case 'dialing':
      return 'Outdial is dialing the number.'
    case 'in_progress':
      return 'The conversation is in progress.'
    case 'completed':
      return describeEnd(history)
  }
}

export function describeEnd({ call, canceledBy }: CallHistory): string {
  if (canceledBy !== null && call.outcome === 'canceled') return `The call was canceled by ${canceledBy}.`
  return call.ended_reason === null ? 'The call is completed.' : formatEndedReason(call.ended_reason)
}

/** Returns why a queued call waits and what happens next. */
function describeWaitingFor({ call, details }: CallHistory, now: Date, timeFormats: TimeFormats): string {
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
    case 'campaign_paused': {
      const reason = details.paused_reason ? ` ${details.paused_reason}` : ''
      return `${waitingForTexts.campaign_paused.meaning} Resume it to place this call.${after}${reason}`
    }
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

function describeAttempts({ attempts, details }: CallHistory): string[] {
  if (attempts.length < 2) return []
  const policy = formatRetryPolicy(details.retry)
  return [`Outdial dialed ${attempts.length} times. The campaign's retries: ${policy}.`]
}

/** Returns a list with the sentence, or an empty one. */
export function describeGreeting({ attempts, details }: CallHistory): string[] {
  const sentence = describeMissingInGreeting(attempts, details.queued_with)
  return sentence === null ? [] : [sentence]
}

function describeOtherCalls({ otherCalls }: CallHistory, timeFormats: TimeFormats): string[] {
  if (otherCalls.length === 0) return []
  const calls = otherCalls.map(({ id, queued_at: at }) => `call ${id} (queued ${timeFormats.exactTime(at)})`)
  return [
    `The contact has ${formatPlural(otherCalls.length, 'other call')} within a day of this one: ${calls.join(', ')}.`,
  ]
}
