import { type EndedReason, endedReasonTexts } from '@outdial/contract'
import { formatPlural, formatRetryPolicy, type TimeFormats } from '../../platform/views/format.ts'
import type { CallHistory } from './call-history.ts'
import { describeDeliveries } from './describe-deliveries.ts'
import { describeMissingInGreeting, describeSettingChanges } from './describe-settings.ts'
import { describeCallsAhead, describeWait } from './describe-waiting.ts'

export const formatEndedReason = (reason: EndedReason): string => endedReasonTexts[reason].meaning

/** Says in sentences why a call waits or how it ended, if its contact had other calls, and if its event was delivered. */
export const describeCall = (history: CallHistory, now: Date, timeFormats: TimeFormats): string[] => [
  describeState(history, now, timeFormats),
  ...describeTodaysSettings(history, timeFormats),
  ...describeDoNotCallEntry(history),
  ...describeAttempts(history),
  ...describeGreeting(history),
  ...describeOtherCalls(history, timeFormats),
  ...describeDeliveries(history, history.call, timeFormats),
]

function describeState(history: CallHistory, now: Date, timeFormats: TimeFormats): string {
  const { call } = history
  switch (call.status) {
    case 'queued':
      return describeQueued(history, now, timeFormats)
    case 'dialing':
      return 'Outdial is dialing the number.'
    case 'in_progress':
      return 'The conversation is in progress.'
    case 'completed':
      return describeEnd(history)
  }
}

function describeQueued(
  { wait, callsAhead, simulationSpeed }: CallHistory,
  now: Date,
  timeFormats: TimeFormats,
): string {
  // The dialer claimed the call after it was read here.
  if (wait === undefined) return 'Outdial is dialing the number.'
  const start = wait.reason !== null && wait.call.attempts === 0 ? 'Not called yet. ' : ''
  return `${start}${describeWait(wait, now, timeFormats, { simulationSpeed })}${describeCallsAhead(callsAhead)}`
}

/** Says which settings have changed since a waiting call was queued. For other calls, the steps for their attempts do. */
function describeTodaysSettings({ wait }: CallHistory, timeFormats: TimeFormats): string[] {
  if (wait === undefined) return []
  const changes = describeSettingChanges(wait.changes, wait.call.queued_with, timeFormats.timeZone)
  return changes === '' ? [] : [changes]
}

/** Says who added the number to the do-not-call list, and why, if that's what ended the call. */
const describeDoNotCallEntry = ({ doNotCall }: CallHistory): string[] =>
  doNotCall === undefined ? [] : [`It was ${doNotCall.text}`]

export function describeEnd({ call, canceledBy }: CallHistory): string {
  if (canceledBy !== null && call.outcome === 'canceled') return `The call was canceled by ${canceledBy}.`
  return call.ended_reason === null ? 'The call is completed.' : formatEndedReason(call.ended_reason)
}

function describeAttempts({ attempts, details }: CallHistory): string[] {
  if (attempts.length < 2) return []
  const policy = formatRetryPolicy(details.retry)
  return [`Outdial dialed ${attempts.length} times. The campaign's retries: ${policy}.`]
}

/** Returns a list with the sentence about names without values in the greeting, or an empty list. */
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
