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

/** The person that a call is to, with the values that rules look at. */
export interface PlannedCallee extends Callee {
  consent: Consent | null
  /** Null if the number wasn't called in the last 30 days. */
  use: NumberUse | null
  /** True if the rules about frequency don't delay the attempt. */
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
  /** Why the call is never placed, in which case `at` has no meaning. Null if the call can be placed. */
  never: NeverReason | null
  /** The rule that delays the call until `at`. Null if calling hours, the law, or closed days delay it, or if nothing does. */
  delayedBy: DelayingRule | null
  /** The reasons why `at` is later than requested. The last one decides. If one of them is a rule, it's the only one. */
  delays: readonly Delay[]
}

/** Returns true if a plan depends on the contact's consent, or on when the number was called. */
export const dependsOnHistory = (rules: CallRules, requires: CampaignRequirements): boolean =>
  strictest(rules, requires).consentRequired !== 'none' ||
  rules.maxAttemptsPerDay !== null ||
  rules.maxAttemptsPer30Days !== null ||
  requires.oneConversationPerDay

/** How long a due call waits before it expires. */
export const maxWaitMs = 7 * dayMs

/**
 * Decides when a call may be placed, or that it never may. A call is never placed to a country that isn't called, or without
 * the required consent. It also needs a moment before it expires that the calling hours, the hours by law, the closed days, and
 * the frequency all allow. A call that had such a moment, but no longer has one, gets a time after it expires.
 *
 * The law and the closed days (holidays and the workspace's own) are hard limits. They must be met in the number's time zones
 * and in the contact's own. If neither is known, the campaign's time zone counts.
 *
 * @param rules null if no rule applies, not even those of the campaign
 * @param times.dueAt when the call became due, if that was before `from`. It expires 7 days later.
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
    // If the call had a permitted moment before `from`, something else delayed it, so it expires.
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

/** Returns what delays a call from `from` to `open`: calling hours until `within`, and then the law. */
const listDelays = (from: Date, within: Date, open: Date): readonly Delay[] => [
  ...(within > from ? (['calling_hours'] as const) : []),
  ...(open > within ? (['law'] as const) : []),
]

/** Returns the first moment, at or after `from`, when the rules about frequency allow another call to the number. */
export function findFree(
  rules: Pick<CallRules, 'maxAttemptsPerDay' | 'maxAttemptsPer30Days'>,
  { oneConversationPerDay }: Pick<CampaignRequirements, 'oneConversationPerDay'>,
  use: NumberUse | null,
  from: Date,
): Date {
  if (use === null) return from
  const freeAt = (limit: number | null, periodMs: number): number => {
    // With a limit of n, an attempt is allowed once the n-th attempt before it is older than the period.
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

/** Returns true if there's a moment of the week that is within all of these hours, in a single time zone. */
export const haveCommonHour = (...hours: readonly CallingHours[]): boolean => {
  const windows = hours.map((each) => ({ hours: each, zones: ['UTC'] }))
  return findPermitted(windows, null, { from: new Date(0), until: new Date(8 * dayMs) }) !== undefined
}

/** The days on which no calls are placed. A day is closed if it's closed by the local date in any of `zones`. */
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

/** Returns `at`. If it's on a closed day in a time zone, returns the start of the next day there. */
function skipClosedDays({ isClosed, zones }: ClosedDays, at: Date): Date {
  for (const zone of zones) {
    if (!isClosed(toLocalDate(at, zone))) continue
    const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
    return new Date(local.add({ days: 1 }).startOfDay().epochMilliseconds)
  }
  return at
}

/**
 * Returns the first moment, at or after `from`, that is in a campaign's calling hours in its own time zone, on a day that isn't
 * closed. Undefined if there's no such moment in the next 15 days.
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
