import type { CallingHours, RetryPolicy } from '@outdial/contract'
import { dayMs, minuteMs } from '../core/durations.ts'
import type { CallRules } from '../rules/call-rules.ts'
import { lawRows } from '../rules/hours-by-law.ts'
import { haveCommonHour } from '../rules/plan-call.ts'
import { formatPlural } from '../views/format.ts'

/**
 * Says which settings of a campaign can't be kept within the workspace's rules, in sentences.
 *
 * @param rules null if no rule applies
 */
export function describeConflicts(
  rules: CallRules | null,
  campaign: { callingHours: CallingHours; retry: RetryPolicy },
): string[] {
  if (rules === null) return []
  return [...describeClosedStates(rules, campaign.callingHours), ...describeRetries(rules, campaign.retry)]
}

function describeClosedStates({ hoursByLaw }: CallRules, callingHours: CallingHours): string[] {
  if (!hoursByLaw) return []
  const closed = lawRows.filter(({ hours }) => !haveCommonHour(hours, callingHours))
  if (closed.length === 0) return []
  const isEverywhere = closed.some(({ state }) => state === null)
  const where = isEverywhere
    ? 'the United States'
    : listFormat.format(closed.flatMap(({ state }) => state ?? []))
  return [`Numbers in ${where} aren't called: these calling hours and the hours by law have none in common.`]
}

const listFormat = new Intl.ListFormat('en-US')

function describeRetries(
  { maxAttemptsPerDay: perDay, maxAttemptsPer30Days: perMonth }: CallRules,
  { max_attempts: maxAttempts, delay_minutes: delay, on }: RetryPolicy,
): string[] {
  if (on.length === 0) return []
  if (perMonth !== null && perMonth < maxAttempts) {
    const limit = formatPlural(perMonth, 'call attempt')
    return [`The rules allow ${limit} per number in 30 days, so no call has ${maxAttempts} attempts.`]
  }
  if (perDay === null || perDay >= maxAttempts || perDay * delay >= dayMs / minuteMs) return []
  const limit = formatPlural(perDay, 'call attempt')
  return [`The rules allow ${limit} per number in 24 hours, so retries after that wait.`]
}
