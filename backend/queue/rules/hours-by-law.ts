import type { CallingHours, Weekday } from '@outdial/contract'
import { countryOfNumber } from '../../platform/core/phone.ts'
import { areasByState } from '../scheduling/area-codes.ts'
import { statesWithHolidays } from './holidays.ts'

// cspell:ignore clickpointsoftware dropcowboy LPSC
// Hours in which the law allows calls, as far as it was looked up. A state has a row only if the law itself was read, or if two
// independent sources agree that its hours are narrower than those of the United States. This isn't legal advice, and says
// nothing about other countries.

/** The reliability of a row's source: the law itself, law firms, or only vendors of calling software. */
type SourceKind = 'law' | 'firm' | 'marketing'

/** The hours of a state, in the local time of the called place. */
interface LawRow {
  /** The state, as in `areasByState`. Null: the whole United States. */
  state: string | null
  hours: CallingHours
  source: string
  kind: SourceKind
}

const everyDay: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const notOnSundays: Weekday[] = everyDay.filter((day) => day !== 'sun')

/** The day on which the sources were read. */
export const lawCheckedOn = '2026-11-25'

export const lawRows: readonly LawRow[] = [
  {
    state: null,
    hours: { days: everyDay, start: '08:00', end: '21:00' },
    source: '47 CFR 64.1200(c)(1)',
    kind: 'firm',
  },
  {
    state: 'Alabama',
    hours: { days: notOnSundays, start: '08:00', end: '20:00' },
    source: 'Ala. Admin. Code 770-X-5-.17(1)(b), which may bind only telephone companies',
    kind: 'law',
  },
  {
    state: 'Florida',
    hours: { days: everyDay, start: '08:00', end: '20:00' },
    source: 'Fla. Stat. 501.616(6) and SB 1120',
    kind: 'law',
  },
  {
    state: 'Kentucky',
    hours: { days: everyDay, start: '10:00', end: '21:00' },
    source: 'clickpointsoftware.com and dropcowboy.com, about KRS 367.46955',
    kind: 'marketing',
  },
  {
    state: 'Louisiana',
    hours: { days: notOnSundays, start: '08:00', end: '20:00' },
    source: 'clickpointsoftware.com and dropcowboy.com, about LPSC R-29617',
    kind: 'marketing',
  },
]

/** States that may have narrower hours, or may forbid calls on holidays. Their sources disagree, or there's only one source. */
export const statesToCheck: readonly string[] = [
  ...['Connecticut', 'Massachusetts', 'Michigan', 'Mississippi', 'Pennsylvania', 'Rhode Island', 'Utah'],
]

/** Maps each area code to its state. */
const stateOfAreaCode: ReadonlyMap<string, string> = new Map(
  Object.entries(areasByState).flatMap(([state, areas]) =>
    areas.flatMap((area) => area.split(' ').map((areaCode) => [areaCode, state] as const)),
  ),
)

/**
 * Returns the hours by law for a number, in the local time of the called place. A call must be within all of them. Empty for
 * numbers outside of the United States. A number without a state, such as a toll-free number, can ring in any state, so it gets
 * the hours of every state.
 *
 * @param phoneNumber in E.164
 */
export function hoursByLaw(phoneNumber: string): readonly CallingHours[] {
  if (isTollFree(phoneNumber)) return hoursOfState(undefined)
  const state = stateOfNumber(phoneNumber)
  if (state !== undefined) return hoursOfState(state)
  const country = countryOfNumber(phoneNumber) ?? ''
  if (territories.includes(country)) return hoursOfState(null)
  return country === 'US' ? hoursOfState(undefined) : []
}

/** The territories of the United States. Federal law covers them, too (47 U.S.C. 153). */
export const territories = ['PR', 'GU', 'VI', 'AS', 'MP']

/** @param state undefined if it can be any state; null if the place is in no state */
const hoursOfState = (state: string | null | undefined): readonly CallingHours[] =>
  lawRows
    .filter((row) => row.state === null || state === undefined || row.state === state)
    .map(({ hours }) => hours)

/**
 * Returns the states on whose holidays a number isn't called. A number of the United States without a state can ring in any
 * state, so it isn't called on any state's holidays.
 *
 * @param phoneNumber in E.164
 */
export function holidayStatesOf(phoneNumber: string): readonly string[] {
  const state = stateOfNumber(phoneNumber)
  if (state !== undefined) return statesWithHolidays.filter((each) => each === state)
  return isTollFree(phoneNumber) || countryOfNumber(phoneNumber) === 'US' ? statesWithHolidays : []
}

/**
 * Returns the state of the United States that a number's area code belongs to, as in `areasByState`. Undefined for other
 * numbers.
 *
 * @param phoneNumber in E.164
 */
export const stateOfNumber = (phoneNumber: string): string | undefined =>
  phoneNumber.startsWith('+1') ? stateOfAreaCode.get(phoneNumber.slice(2, 5)) : undefined

/** Returns true for a toll-free number. Such numbers belong to all countries with +1. */
const isTollFree = (phoneNumber: string): boolean => /^\+18(?:00|33|44|55|66|77|88)/.test(phoneNumber)
