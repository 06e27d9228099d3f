import { isDeepStrictEqual } from 'node:util'
import { ConsentRequired } from '@outdial/contract'
import { readCountry } from '@outdial/reading'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../../platform/core/actor.ts'
import { countryCodes, nameCountry } from '../../platform/core/countries.ts'
import { type ApiError, fieldError } from '../../platform/core/errors.ts'
import { countryOfNumber } from '../../platform/core/phone.ts'
import { ruleIssue, validateByRules } from '../../platform/core/validate-rules.ts'
import type { CallRules, CampaignRequirements } from '../../platform/db/call-rules.ts'
import type { Db } from '../../platform/db/schema.ts'
import { lockLimitUse, requeueLimitedCampaigns } from './limit-store.ts'
import { selectCallRules, upsertCallRules } from './rule-store.ts'

export type { CallRules } from '../../platform/db/call-rules.ts'
export { deleteOldNumberUse } from './rule-store.ts'

export const noRules: CallRules = {
  countries: null,
  hoursByLaw: false,
  closedDates: [],
  maxAttemptsPerDay: null,
  maxAttemptsPer30Days: null,
  maxAttemptsPerOwnNumber: null,
  maxMinutesPerMonth: null,
  consentRequired: 'none',
  consentMaxAgeDays: null,
}

/** The requirements of a campaign that adds nothing to the rules of its workspace. */
export const noRequirements: CampaignRequirements = {
  consentRequired: 'none',
  consentMaxAgeDays: null,
  oneConversationPerDay: false,
  closedOnFederalHolidays: false,
}

/**
 * Returns true if the rules apply to calls that aren't tests. While calls are simulated, they don't: no phone rings, and trying
 * Outdial shouldn't depend on the number.
 */
export const doRulesApply = ({ telephony }: Pick<Deps['config'], 'telephony'>): boolean =>
  telephony === 'http'

/** Returns the rules that calls follow, or null while calls are simulated. The rules of campaigns don't apply then, either. */
export const rulesInEffect = (
  config: Pick<Deps['config'], 'telephony'>,
  rules: CallRules,
): CallRules | null => (doRulesApply(config) ? rules : null)

/** Returns true if a rule of the workspace or the campaign is on. */
export const hasRules = (rules: CallRules, requires: CampaignRequirements): boolean =>
  !isDeepStrictEqual(rules, noRules) ||
  requires.consentRequired !== 'none' ||
  requires.oneConversationPerDay ||
  requires.closedOnFederalHolidays

/**
 * Returns true if numbers of this country may be called. The full number determines the country, not just the
 * calling code: +1 876 is Jamaica. Numbers without a country may only be called if all countries may.
 *
 * @param rules null if no rule applies
 * @param phoneNumber in E.164
 */
export const isCountryAllowed = (
  rules: Pick<CallRules, 'countries'> | null,
  phoneNumber: string,
): boolean => {
  const countries = rules?.countries ?? null
  return countries === null || countries.includes(countryOfNumber(phoneNumber) ?? '')
}

/** Returns the error about a number whose country isn't called. */
export function countryNotAllowed(phoneNumber: string): ApiError {
  const code = countryOfNumber(phoneNumber)
  if (code === undefined) return fieldError('phone_number', 'country_not_allowed.none')
  return fieldError('phone_number', 'country_not_allowed', { country: nameCountry(code) })
}

/** Returns a workspace's rules. `changed` says who set them last and when; it's null if they were never set. */
export async function getCallRules(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<CallRules & { changed: { at: Date; by: Actor } | null }> {
  const stored = await selectCallRules(db, workspaceId)
  if (stored === undefined) return { ...noRules, changed: null }
  return { ...stored.rules, changed: { at: stored.changedAt, by: stored.changedBy } }
}

/** Returns the rules that apply to calls of a workspace, or null while calls are simulated. */
export async function findCallRules(
  { db, config }: { db: Db; config: Pick<Deps['config'], 'telephony'> },
  workspaceId: number,
): Promise<CallRules | null> {
  return doRulesApply(config) ? ((await selectCallRules(db, workspaceId))?.rules ?? noRules) : null
}

/** Parses what people type: names or codes of countries, separated by commas or line breaks. Blank text means all countries. */
const CountryList = z.string().transform((text, context): string[] | null => {
  const names = text.split(/[,;\n]/).flatMap((name) => name.trim() || [])
  const codes = names.map((name) => {
    const country = readCountry(name)
    // Several countries can share a dial code.
    return country?.as === 'dial_code' ? undefined : country?.code
  })
  const unknown = names.filter((_, index) => !countryCodes.includes(codes[index] ?? ''))
  if (unknown.length > 0) {
    const named = unknown.slice(0, 3).map((name) => `“${name}”`)
    const message = `${named.join(', ')}: not a known country. Enter a name or a two-letter code, for example United States or US.`
    context.addIssue(ruleIssue('invalid_country', message))
    return z.NEVER
  }
  return names.length === 0 ? null : [...new Set(codes.flatMap((code) => code ?? []))].sort()
})

/** Parses days as YYYY-MM-DD, separated by commas, spaces, or line breaks. */
const DateList = z.string().transform((text, context): string[] => {
  const days = text.split(/[\s,;]+/).filter((day) => day !== '')
  const wrong = days.find((day) => !isDay(day))
  if (wrong !== undefined) {
    const message = `“${wrong}” isn't a day like 2026-12-25. Enter each day with its year.`
    context.addIssue(ruleIssue('invalid_date', message))
    return z.NEVER
  }
  if (days.length > maxClosedDates) {
    context.addIssue(
      ruleIssue('too_big', `Enter at most ${maxClosedDates} days. Remove those that are over.`),
    )
    return z.NEVER
  }
  return [...new Set(days)].sort()
})

const maxClosedDates = 100

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** The maximum values of the rules about frequency. `number_use` stores more attempts than that. */
export const frequencyLimits = { perDay: 10, per30Days: 30 } as const

const ownNumberLimits = { min: 1, max: 10_000 } as const
/** The minimum is 30, because a single call can take 30 minutes. */
const minuteLimits = { min: 30, max: 1_000_000 } as const

/** Parses a whole number as typed. Blank text means that there's no limit. */
const Limit = ({ min, max }: { min: number; max: number }) =>
  z.string().transform((text, context): number | null => {
    if (text.trim() === '') return null
    const limit = Number(text)
    if (Number.isInteger(limit) && limit >= min && limit <= max) return limit
    context.addIssue(ruleIssue('invalid_limit', `Enter ${min} to ${max}, or leave this blank.`))
    return z.NEVER
  })

const CallRulesInput = z
  .object({
    countries: CountryList,
    hours_by_law: z.boolean(),
    closed_dates: DateList,
    max_attempts_per_day: Limit({ min: 1, max: frequencyLimits.perDay }),
    max_attempts_per_30_days: Limit({ min: 1, max: frequencyLimits.per30Days }),
    consent_required: ConsentRequired,
    consent_max_age_days: Limit({ min: 1, max: 3650 }),
    max_attempts_per_own_number: Limit(ownNumberLimits),
    max_minutes_per_month: Limit(minuteLimits),
  })
  .transform((rules): CallRules => ({
    countries: rules.countries,
    hoursByLaw: rules.hours_by_law,
    closedDates: rules.closed_dates,
    maxAttemptsPerDay: rules.max_attempts_per_day,
    maxAttemptsPer30Days: rules.max_attempts_per_30_days,
    maxAttemptsPerOwnNumber: rules.max_attempts_per_own_number,
    maxMinutesPerMonth: rules.max_minutes_per_month,
    consentRequired: rules.consent_required,
    consentMaxAgeDays: rules.consent_max_age_days,
  }))

/**
 * Sets the rules of a new workspace: it calls every country, a number at most three times in 24 hours, and numbers in the
 * United States only in the hours by law.
 */
export const setDefaultRules = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  by: Actor,
): Promise<void> =>
  upsertCallRules(
    db,
    workspaceId,
    { ...noRules, hoursByLaw: true, maxAttemptsPerDay: 3 },
    { at: clock.now(), by },
  )

/** Switches off all rules of a new workspace. */
export const switchOffRules = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  by: Actor,
): Promise<void> => upsertCallRules(db, workspaceId, noRules, { at: clock.now(), by })

/**
 * Parses rules as an owner types them.
 *
 * @throws {ApiError} validation_failed
 */
export const parseCallRules = (input: z.input<typeof CallRulesInput>): CallRules =>
  validateByRules(CallRulesInput, input)

/**
 * Sets the rules of a workspace. Waiting calls follow the rules when they're due. Call it in a transaction, for an owner, and
 * after `rescheduleWorkspace`, because campaigns must be locked before the use of limits.
 */
export async function setCallRules(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  rules: CallRules,
  by: Actor,
): Promise<void> {
  await lockLimitUse(db, workspaceId)
  await upsertCallRules(db, workspaceId, rules, { at: clock.now(), by })
  await requeueLimitedCampaigns(db, workspaceId)
}
