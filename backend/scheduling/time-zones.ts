import { type CallingHours, TimeZone } from '@outdial/contract'
import { timezones } from 'libphonenumber-geo-carrier'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { nextPermitted } from './calling-hours.ts'

/** Kinds of numbers that lie somewhere. Toll-free, satellite and personal ones say nothing about the place. */
const localTypes = new Set(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE'])

/** A look-up reads and parses the whole prefix file: 3 ms. */
const remembered = new Map<string, Promise<readonly string[]>>()
const rememberAtMost = 20_000

/** The zones that a number may lie in, by Google's prefix data. Empty where it tells nothing. */
export function zonesOfNumber(phoneNumber: string): Promise<readonly string[]> {
  const known = remembered.get(phoneNumber)
  if (known !== undefined) return known
  const zones = lookUp(phoneNumber)
  remembered.set(phoneNumber, zones)
  const [oldest] = remembered.keys()
  if (remembered.size > rememberAtMost && oldest !== undefined) remembered.delete(oldest)
  return zones
}

async function lookUp(phoneNumber: string): Promise<readonly string[]> {
  const parsed = parsePhoneNumberFromString(phoneNumber)
  if (parsed === undefined || !localTypes.has(parsed.getType() ?? '')) return []
  const zones = (await timezones(parsed)) ?? []
  return zones.filter((zone) => TimeZone.safeParse(zone).success)
}

/** Who is called: the own time zone, if it is known, wins over what the number tells. */
export interface Callee {
  phoneNumber: string
  timeZone: string | null
}

/** When and by whose clock a campaign may call. */
export interface CallingRules {
  hours: CallingHours
  /** The campaign's: for numbers that tell no place, or places that have no common hour. */
  timeZone: string
}

/** The first moment at or after `from` at which the contact may be called, in the contact's local time. */
export async function nextCallableMoment(rules: CallingRules, callee: Callee, from: Date): Promise<Date> {
  const own = callee.timeZone === null ? await zonesOfNumber(callee.phoneNumber) : [callee.timeZone]
  const local = own.length > 0 ? nextPermitted(rules.hours, own, from) : undefined
  // The last resort lies beyond every horizon, and is planned anew when it has come.
  return local ?? nextPermitted(rules.hours, [rules.timeZone], from) ?? new Date(from.getTime() + 15 * dayMs)
}

const dayMs = 24 * 3_600_000
