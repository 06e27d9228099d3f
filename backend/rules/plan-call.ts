import type { CallingHours } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import { dayMs } from '../core/durations.ts'
import {
  type Callee,
  type CallingRules,
  type CallPlan,
  nextOpenAt,
  planCall,
} from '../scheduling/calling-hours.ts'
import { timeZonesOfNumber } from '../scheduling/time-zones.ts'
import type { CallRules } from './call-rules.ts'
import { hoursByLaw } from './hours-by-law.ts'

export interface PermittedPlan extends CallPlan {
  /** True if the law, the closed days, and the campaign have no hour in common before the call expires. Then `at` means nothing. */
  isNever: boolean
}

/** Returns true if the rules limit when calls are placed. */
export const limitsHours = ({ hoursByLaw: isByLaw, closedDates }: CallRules): boolean =>
  isByLaw || closedDates.length > 0

/** A call that can't be placed for so long expires. */
const maxWaitMs = 7 * dayMs

/**
 * Plans a call like `planCall`, within the hours by law and outside of the workspace's closed days. These are hard limits: they
 * must be met on the clocks of the number's time zones and of the contact's own, and the campaign's clock counts only if there's
 * none.
 *
 * @param times.dueAt when the call became due, if that was before `from`: after 7 days, it expires
 */
export function planPermittedCall(
  rules: CallRules,
  campaign: CallingRules,
  callee: Callee,
  { from, dueAt = from }: { from: Date; dueAt?: Date },
): PermittedPlan {
  const plan = planCall(campaign, callee, from)
  const limits = rules.hoursByLaw ? hoursByLaw(callee.phoneNumber) : []
  if (limits.length === 0 && rules.closedDates.length === 0) return { ...plan, isNever: false }
  const found = [
    ...timeZonesOfNumber(callee.phoneNumber),
    ...(callee.timeZone === null ? [] : [callee.timeZone]),
  ]
  const zones = found.length > 0 ? [...new Set(found)] : [campaign.timeZone]
  const windows = [
    { hours: campaign.callingHours, zones: plan.zones },
    ...limits.map((hours) => ({ hours, zones })),
  ]
  const until = new Date(dueAt.getTime() + maxWaitMs)
  const at = findPermitted(windows, { dates: new Set(rules.closedDates), zones }, { from, until })
  return at === undefined ? { ...plan, isNever: true } : { ...plan, at, isNever: false }
}

/** Returns the first moment from `from` to `until` that is within all windows and on no closed day. */
function findPermitted(
  windows: readonly { hours: CallingHours; zones: readonly string[] }[],
  closed: { dates: ReadonlySet<string>; zones: readonly string[] },
  { from, until }: { from: Date; until: Date },
): Date | undefined {
  for (let at = from; at <= until;) {
    let next: Date | undefined = at
    for (const { hours, zones } of windows) {
      next = nextOpenAt(hours, zones, next)
      if (next === undefined) return undefined
    }
    next = skipClosedDays(closed, next)
    if (next.getTime() === at.getTime()) return at
    at = next
  }
  return undefined
}

/** Returns `at`, or the start of the next day in a time zone where it's a closed day. */
function skipClosedDays(
  { dates, zones }: { dates: ReadonlySet<string>; zones: readonly string[] },
  at: Date,
): Date {
  if (dates.size === 0) return at
  for (const zone of zones) {
    const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
    if (!dates.has(local.toPlainDate().toString())) continue
    return new Date(local.add({ days: 1 }).startOfDay().epochMilliseconds)
  }
  return at
}
