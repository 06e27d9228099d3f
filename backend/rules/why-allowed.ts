import { dayMs } from '../core/durations.ts'
import type { AllowedBy } from '../db/tables/call-tables.ts'
import { stateOfNumber } from './hours-by-law.ts'
import type { PlannedCallee } from './plan-call.ts'

/** Returns what is stored with a call attempt about why the rules allowed it. At most 100 bytes as JSON. */
export function findWhyAllowed({ consent, use, phoneNumber }: PlannedCallee, now: Date): AllowedBy {
  const state = stateOfNumber(phoneNumber)
  const since = now.getTime() - dayMs
  return {
    ...(consent !== null && { consent: consent.kind ?? 'any' }),
    attempts: use?.placedAt.filter((placedAt) => Date.parse(placedAt) > since).length ?? 0,
    ...(state !== undefined && { state }),
  }
}
