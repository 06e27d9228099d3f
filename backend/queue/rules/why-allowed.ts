import { dayMs } from '../../platform/core/durations.ts'
import type { AllowedBy } from '../../platform/db/tables/call-tables.ts'
import { stateOfNumber } from './hours-by-law.ts'
import type { PlannedCallee } from './plan-call.ts'

/** Returns the reasons why the rules allowed a call attempt, which are stored with it. They have at most 100 bytes as JSON. */
export function findWhyAllowed(
  { consent, use, phoneNumber, isExempt }: PlannedCallee,
  { now, isCallback }: { now: Date; isCallback: boolean },
): AllowedBy {
  const state = stateOfNumber(phoneNumber)
  const since = now.getTime() - dayMs
  return {
    ...(consent !== null && { consent: consent.kind ?? 'any' }),
    attempts: use?.placedAt.filter((placedAt) => Date.parse(placedAt) > since).length ?? 0,
    ...(state !== undefined && { state }),
    ...(isExempt === true && { exempt: isCallback ? ('contact' as const) : ('member' as const) }),
  }
}
