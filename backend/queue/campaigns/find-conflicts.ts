import type { CallingHours, RetryPolicy, Warning } from '@outdial/contract'
import { nameCountry } from '../../platform/core/countries.ts'
import { dayMs, minuteMs } from '../../platform/core/durations.ts'
import { fieldIssue } from '../../platform/core/errors.ts'
import type { CallRules } from '../rules/call-rules.ts'
import { lawRows, territories } from '../rules/hours-by-law.ts'
import { haveCommonHour } from '../rules/plan-call.ts'

/**
 * Finds the settings of a campaign that conflict with the workspace's rules.
 *
 * @param rules null if no rule applies
 */
export function findConflicts(
  rules: CallRules | null,
  campaign: { callingHours: CallingHours; retry: RetryPolicy },
): Warning[] {
  if (rules === null) return []
  return [...findClosedPlaces(rules, campaign.callingHours), ...findLateRetries(rules, campaign.retry)]
}

function findClosedPlaces({ hoursByLaw, countries }: CallRules, callingHours: CallingHours): Warning[] {
  if (!hoursByLaw) return []
  const callsStates = countries?.includes('US') !== false
  const called = callsStates ? [] : territories.filter((code) => countries.includes(code))
  // Territories follow only the hours of the whole United States. Toll-free numbers follow the hours of all states.
  const rows = lawRows.filter(({ state }) => callsStates || (called.length > 0 && state === null))
  if (haveCommonHour(callingHours, ...rows.map(({ hours }) => hours))) return []
  const closed = rows.filter(({ hours }) => !haveCommonHour(hours, callingHours))
  const isEverywhere = closed.some(({ state }) => state === null)
  const states = closed.flatMap(({ state }) => state ?? [])
  const everywhere = callsStates ? ['the United States'] : called.map(nameCountry)
  const places = listFormat.format(isEverywhere ? everywhere : [...states, 'toll-free area codes'])
  return [fieldIssue('calling_hours', 'no_permitted_hour.campaign', { places })]
}

const listFormat = new Intl.ListFormat('en-US')

function findLateRetries(
  { maxAttemptsPerDay: perDay, maxAttemptsPer30Days: perMonth }: CallRules,
  { max_attempts: attempts, delay_minutes: delay, on }: RetryPolicy,
): Warning[] {
  if (on.length === 0) return []
  const warn = (key: 'frequency.no_retries' | 'frequency.late_retries', limit: number) => [
    fieldIssue('retry.max_attempts', key, {
      limit: limit === 1 ? '1 call attempt' : `${limit} call attempts`,
      attempts,
    }),
  ]
  if (perMonth !== null && perMonth < attempts) return warn('frequency.no_retries', perMonth)
  const isWaiting = perDay !== null && perDay < attempts && perDay * delay < dayMs / minuteMs
  return isWaiting ? warn('frequency.late_retries', perDay) : []
}
