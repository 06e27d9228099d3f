import { readCountry } from '@outdial/reading'
import * as z from 'zod'
import type { Actor } from '../core/actor.ts'
import { countryCodes, nameCountry } from '../core/countries.ts'
import { type ApiError, fieldError } from '../core/errors.ts'
import { countryOfNumber } from '../core/phone.ts'
import { ruleIssue, validateByRules } from '../core/validate-rules.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { type CallRules, selectCallRules, upsertCallRules } from './rule-store.ts'

export type { CallRules } from './rule-store.ts'

const noRules: CallRules = { countries: null }

/**
 * Returns true if the rules apply to calls that aren't tests. While calls are simulated, they don't: no phone rings, and trying
 * Outdial shouldn't depend on the number.
 */
export const doRulesApply = ({ telephony }: Pick<Deps['config'], 'telephony'>): boolean =>
  telephony === 'http'

/**
 * Returns true if numbers of this country may be called. A country is that of the whole number: +1 876 is Jamaica. Numbers without
 * a country may only be called if all countries may.
 *
 * @param phoneNumber in E.164
 */
export const isCountryAllowed = ({ countries }: CallRules, phoneNumber: string): boolean =>
  countries === null || countries.includes(countryOfNumber(phoneNumber) ?? '')

/** Returns the error about a number whose country isn't called. */
export function countryNotAllowed(phoneNumber: string): ApiError {
  const code = countryOfNumber(phoneNumber)
  if (code === undefined) return fieldError('phone_number', 'country_not_allowed.none')
  return fieldError('phone_number', 'country_not_allowed', { country: nameCountry(code) })
}

/** Returns the rules that a person has set, and who did so last and when; null if nobody has. */
export async function getCallRules(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<CallRules & { changed: { at: Date; by: Actor } | null }> {
  const stored = await selectCallRules(db, workspaceId)
  if (stored === undefined) return { ...noRules, changed: null }
  const { changedAt: at, changedBy: by, ...rules } = stored
  return { ...rules, changed: { at, by } }
}

/** Returns the rules that apply to calls of a workspace: none while calls are simulated. */
export async function findCallRules(
  { db, config }: { db: Db; config: Pick<Deps['config'], 'telephony'> },
  workspaceId: number,
): Promise<CallRules> {
  return doRulesApply(config) ? ((await selectCallRules(db, workspaceId)) ?? noRules) : noRules
}

/** What people type: names or codes of countries, separated by commas or line breaks. Blank: all countries. */
const CountryList = z.string().transform((text, context): string[] | null => {
  const names = text.split(/[,;\n]/).flatMap((name) => name.trim() || [])
  const codes = names.map((name) => {
    const country = readCountry(name)
    // A dial code can be that of several countries.
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

const CallRulesInput = z.object({ countries: CountryList })

/**
 * Sets the rules of a workspace. Waiting calls follow them when their time comes. Call it in a transaction, for an owner.
 *
 * @throws {ApiError} validation_failed
 */
export async function setCallRules(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  input: z.input<typeof CallRulesInput>,
  by: Actor,
): Promise<void> {
  const rules = validateByRules(CallRulesInput, input)
  await upsertCallRules(db, workspaceId, rules, { at: clock.now(), by })
}
