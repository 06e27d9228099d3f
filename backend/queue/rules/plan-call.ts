import type { CallingHours, Campaign } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import { dayMs, hourMs } from '../../platform/core/durations.ts'
import type { CampaignRequirements, Consent, DelayingRule, NumberUse } from '../../platform/db/call-rules.ts'
import {
  type Callee,
  type CallingRules,
  type CallPlan,
  nextOpenAt,
  planCall,
} from '../scheduling/calling-hours.ts'
import { toLocalDate } from '../scheduling/local-time.ts'
import { timeZonesOfNumber } from '../scheduling/time-zones.ts'
import { type CallRules, isCountryAllowed } from './call-rules.ts'
import { findConsentIssue, strictest } from './consent.ts'
import { isFederalHoliday, isStateHoliday } from './holidays.ts'
import { holidayStatesOf, hoursByLaw } from './hours-by-law.ts'

/** The limits that decide whom a campaign calls, when, and how often. */
export interface CampaignLimits extends CallingRules {
  requires: CampaignRequirements
}

/** Whom a call is to. */
export interface PlannedCallee extends Callee {
  consent: Consent | null
  /** Null if the number wasn't called in the last 30 days. */
  use: NumberUse | null
  /** True if the attempt doesn't wait for the frequency. */
  isExempt?: boolean
}

/** Why a call can't be placed before it expires. */
export type NeverReason =
  'destination_not_allowed' | 'consent_missing' | 'consent_expired' | 'frequency' | 'no_permitted_hour'

/** Returns true if the call itself is allowed, but has no permitted time before it expires. */
export const hasNoTime = (reason: NeverReason): boolean =>
  reason === 'frequency' || reason === 'no_permitted_hour'

/** A reason why a call waits: calling hours, the hours by law or closed days, or a rule. */
export type Delay = 'calling_hours' | 'law' | DelayingRule

export interface PermittedPlan extends CallPlan {
  /** Why the call is never placed. Then `at` means nothing. Null if it can be. */
  never: NeverReason | null
  /** The rule that `at` follows. Null if that's calling hours, the law, or closed days, or if nothing delays the call. */
  delayedBy: DelayingRule | null
  /** Why `at` is later than asked for. The last one decided. A rule is the only one. */
  delays: readonly Delay[]
}

/** Returns true if a plan depends on the contact's consent, or on when the number was called. */
export const dependsOnHistory = (rules: CallRules, requires: CampaignRequirements): boolean =>
  strictest(rules, requires).consentRequired !== 'none' ||
  rules.maxAttemptsPerDay !== null ||
  rules.maxAttemptsPer30Days !== null ||
  requires.oneConversationPerDay

/** A call that can't be placed for so long expires. */
export const maxWaitMs = 7 * dayMs

/**
 * Decides when a call may be placed, or that it never may: to a country that isn't called, without the required consent, or with
 * no moment before it expires that the calling hours, the hours by law, the closed days, and the frequency all allow. A call that
 * had such a moment, but not anymore, gets a time after it expires. The law and
 * the closed days (holidays and the workspace's own) are hard limits: they must be met on the clocks of the number's time zones
 * and of the contact's own, and the campaign's clock counts only if there's none.
 *
 * @param rules null if no rule applies, not even those of the campaign
 * @param times.dueAt when the call became due, if that was before `from`: after 7 days, it expires
 */
export function planPermittedCall(
  rules: CallRules | null,
  campaign: CampaignLimits,
  callee: PlannedCallee,
  { from, dueAt = from }: { from: Date; dueAt?: Date },
): PermittedPlan {
  const ofHours = planCall(campaign, callee, from)
  const plan = { ...ofHours, never: null, delayedBy: null, delays: listDelays(from, ofHours.at, ofHours.at) }
  if (rules === null) return plan
  if (!isCountryAllowed(rules, callee.phoneNumber)) return { ...plan, never: 'destination_not_allowed' }
  const issue = findConsentIssue(strictest(rules, campaign.requires), callee.consent, from)
  if (issue !== null) return { ...plan, never: issue }
  const limits = rules.hoursByLaw ? hoursByLaw(callee.phoneNumber) : []
  const free = callee.isExempt === true ? from : findFree(rules, campaign.requires, callee.use, from)
  const { closedOnFederalHolidays } = campaign.requires
  const hasClosedDays = rules.closedDates.length > 0 || closedOnFederalHolidays
  if (limits.length === 0 && !hasClosedDays && free === from) return plan
  const found = [
    ...timeZonesOfNumber(callee.phoneNumber),
    ...(callee.timeZone === null ? [] : [callee.timeZone]),
  ]
  const zones = found.length > 0 ? [...new Set(found)] : [campaign.timeZone]
  const windows = [
    { hours: campaign.callingHours, zones: plan.zones },
    ...limits.map((hours) => ({ hours, zones })),
  ]
  const states = rules.hoursByLaw ? holidayStatesOf(callee.phoneNumber) : []
  const isClosed = (day: string): boolean =>
    rules.closedDates.includes(day) ||
    (closedOnFederalHolidays && isFederalHoliday(day)) ||
    states.some((state) => isStateHoliday(state, day))
  const closed = hasClosedDays || states.length > 0 ? { isClosed, zones } : null
  const until = new Date(dueAt.getTime() + maxWaitMs)
  const open = findPermitted(windows, closed, { from, until })
  if (open === undefined) {
    // If the call had such a moment, something else delayed it, so it expires.
    const hadMoment =
      dueAt < from && findPermitted(windows, closed, { from: dueAt, until: from }) !== undefined
    if (hadMoment) return { ...plan, at: new Date(Math.max(until.getTime(), from.getTime()) + hourMs) }
    return { ...plan, never: 'no_permitted_hour' }
  }
  if (free <= open) return { ...plan, at: open, delays: listDelays(from, plan.at, open) }
  const at = findPermitted(windows, closed, { from: free, until })
  return at === undefined
    ? { ...plan, never: 'frequency' }
    : { ...plan, at, delayedBy: 'frequency', delays: ['frequency'] }
}

/** Returns what delays a call from `from` to `open`, of which calling hours decide `within`. */
const listDelays = (from: Date, within: Date, open: Date): readonly Delay[] => [
  ...(within > from ? (['calling_hours'] as const) : []),
  ...(open > within ? (['law'] as const) : []),
]

/** Returns when the number was called so rarely that it may be called again: `from`, or later. */
export function findFree(
  rules: Pick<CallRules, 'maxAttemptsPerDay' | 'maxAttemptsPer30Days'>,
  { oneConversationPerDay }: Pick<CampaignRequirements, 'oneConversationPerDay'>,
  use: NumberUse | null,
  from: Date,
): Date {
  if (use === null) return from
  const freeAt = (limit: number | null, periodMs: number): number => {
    // An attempt is allowed once the one so many before it is over the period.
    const earlier = limit === null ? undefined : use.placedAt.at(-limit)
    return earlier === undefined ? 0 : Date.parse(earlier) + periodMs
  }
  const isConversationLimited = oneConversationPerDay && use.answeredAt !== null
  const free = Math.max(
    freeAt(rules.maxAttemptsPerDay, dayMs),
    freeAt(rules.maxAttemptsPer30Days, 30 * dayMs),
    isConversationLimited ? Date.parse(use.answeredAt ?? '') + dayMs : 0,
  )
  return free <= from.getTime() ? from : new Date(free)
}

/** Returns true if there's a moment of the week that is within all of these hours, on one clock. */
export const haveCommonHour = (...hours: readonly CallingHours[]): boolean => {
  const windows = hours.map((each) => ({ hours: each, zones: ['UTC'] }))
  return findPermitted(windows, null, { from: new Date(0), until: new Date(8 * dayMs) }) !== undefined
}

/** Says on which days no calls are placed, by the local dates of time zones. */
interface ClosedDays {
  isClosed: (day: string) => boolean
  zones: readonly string[]
}

/** Returns the first moment from `from` to `until` that is within all windows and on no closed day. */
function findPermitted(
  windows: readonly { hours: CallingHours; zones: readonly string[] }[],
  closed: ClosedDays | null,
  { from, until }: { from: Date; until: Date },
): Date | undefined {
  for (let at = from; at <= until;) {
    let next: Date | undefined = at
    for (const { hours, zones } of windows) {
      next = nextOpenAt(hours, zones, next)
      if (next === undefined) return undefined
    }
    next = closed === null ? next : skipClosedDays(closed, next)
    if (next.getTime() === at.getTime()) return at
    at = next
  }
  return undefined
}

/** Returns `at`, or the start of the next day in a time zone where it's a closed day. */
function skipClosedDays({ isClosed, zones }: ClosedDays, at: Date): Date {
  for (const zone of zones) {
    if (!isClosed(toLocalDate(at, zone))) continue
    const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
    return new Date(local.add({ days: 1 }).startOfDay().epochMilliseconds)
  }
  return at
}

/**
 * Returns when a campaign next opens in its own time zone, on a day that isn't closed. Undefined if it doesn't in the next 15 days.
 *
 * @param rules null if no rule applies
 */
export function findOpening(
  rules: CallRules | null,
  campaign: Pick<Campaign, 'calling_hours' | 'time_zone' | 'closed_on_federal_holidays'>,
  from: Date,
): Date | undefined {
  const zones = [campaign.time_zone]
  const isClosed = (day: string): boolean =>
    rules !== null &&
    (rules.closedDates.includes(day) ||
      (campaign.closed_on_federal_holidays === true && isFederalHoliday(day)))
  const until = new Date(from.getTime() + 15 * dayMs)
  return findPermitted([{ hours: campaign.calling_hours, zones }], { isClosed, zones }, { from, until })
}
