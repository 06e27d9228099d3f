// cspell:ignore Juneteenth legis findlaw computus
// Computes holidays by rules. Doesn't use a library, because the lists in libraries don't match the laws, and the largest
// library adds 45 MB (decision 0047). This isn't legal advice: governors can proclaim other days.

import { Temporal } from 'temporal-polyfill'

/**
 * The rule for a holiday's day in each year. Weekdays are those of ISO 8601: 1 is Monday. If `nth` is -1, it's the month's last
 * such weekday.
 */
type HolidayRule =
  | { month: number; day: number }
  | { month: number; weekday: number; nth: number }
  /** Election day of Congress: the Tuesday after the first Monday of November in even years (2 U.S.C. 7). */
  | 'election'
  /** The number of days after Easter Sunday. Negative for a day before it. */
  | { easter: number }

interface Holidays {
  rules: Record<string, HolidayRule>
  /** True if a holiday on a weekend is also observed on the Friday before or the Monday after. */
  isMovedFromWeekends: boolean
}

const monday = 1
const thursday = 4
const saturday = 6

const newYear = { "New Year's Day": { month: 1, day: 1 } }
const independenceDay = { 'Independence Day': { month: 7, day: 4 } }
const christmas = { 'Christmas Day': { month: 12, day: 25 } }
const memorialDay = { 'Memorial Day': { month: 5, weekday: monday, nth: -1 } }
const laborDay = { 'Labor Day': { month: 9, weekday: monday, nth: 1 } }
const veteransDay = { 'Veterans Day': { month: 11, day: 11 } }
const thanksgiving = { 'Thanksgiving Day': { month: 11, weekday: thursday, nth: 4 } }
const kingDay = { 'Birthday of Martin Luther King, Jr.': { month: 1, weekday: monday, nth: 3 } }
const presidentsDay = { "Washington's Birthday": { month: 2, weekday: monday, nth: 3 } }
const columbusDay = { 'Columbus Day': { month: 10, weekday: monday, nth: 2 } }
const juneteenth = { Juneteenth: { month: 6, day: 19 } }

const ofAllStates = {
  ...newYear,
  ...kingDay,
  ...presidentsDay,
  ...memorialDay,
  ...independenceDay,
  ...laborDay,
  ...columbusDay,
  ...veteransDay,
  ...thanksgiving,
  ...christmas,
}

/** The federal holidays: 5 U.S.C. 6103, read on 2026-11-27. */
const federal: Holidays = { rules: { ...ofAllStates, ...juneteenth }, isMovedFromWeekends: true }

/** The day on which the sources about the holidays of states were read. */
export const holidaysCheckedOn = '2026-11-27'

/** The holidays of the states whose law forbids calls on holidays. Each state has two sources. */
const ofStates: Record<string, Holidays & { source: string }> = {
  // Mardi Gras is a holiday in two counties only. An area code doesn't identify the county, so no calls to Alabama are placed
  // on that day.
  Alabama: {
    source:
      'Ala. Code 1-3-8 (archives.alabama.gov/intro/holidays.html), and the restricted call dates of dnc.com. Juneteenth: Act of 2025.',
    rules: {
      ...ofAllStates,
      ...juneteenth,
      'Mardi Gras': { easter: -47 },
      'Confederate Memorial Day': { month: 4, weekday: monday, nth: 4 },
      "Jefferson Davis's Birthday": { month: 6, weekday: monday, nth: 1 },
    },
    isMovedFromWeekends: true,
  },
  Louisiana: {
    source:
      'La. R.S. 1:55 (legis.la.gov), and the restricted call dates of dnc.com. Juneteenth: Act 128 of 2021. Election day: R.S. 1:55 as findlaw.com sums it up, and as the Civil District Court for Orleans Parish lists it.',
    rules: {
      ...ofAllStates,
      'Battle of New Orleans': { month: 1, day: 8 },
      'Mardi Gras': { easter: -47 },
      'Good Friday': { easter: -2 },
      Juneteenth: { month: 6, weekday: saturday, nth: 3 },
      'Huey P. Long Day': { month: 8, day: 30 },
      "All Saints' Day": { month: 11, day: 1 },
      'General Election Day': 'election',
    },
    isMovedFromWeekends: true,
  },
}

/** Returns true if a day, as YYYY-MM-DD, is a holiday in a state whose law forbids calls on holidays. */
export const isStateHoliday = (state: string, day: string): boolean => {
  const holidays = ofStates[state]
  return holidays !== undefined && isHoliday(state, holidays, day)
}

/** The states whose law forbids calls on holidays, as far as the laws were looked up. */
export const statesWithHolidays: readonly string[] = Object.keys(ofStates)

/** The names of these states' holidays, with their sources. */
export const stateHolidays = Object.entries(ofStates).map(([state, { rules, source }]) => {
  return { state, names: Object.keys(rules), source }
})

/** Returns true if a day, as YYYY-MM-DD, is a federal holiday of the United States. */
export const isFederalHoliday = (day: string): boolean => isHoliday('federal', federal, day)

/** The holidays of each year that was looked up, by state (or `federal`) and year. */
const known = new Map<string, ReadonlySet<string>>()

function isHoliday(name: string, holidays: Holidays, day: string): boolean {
  const year = Number(day.slice(0, 4))
  const key = `${name} ${year}`
  const days = known.get(key) ?? new Set(findDays(holidays, year))
  known.set(key, days)
  return days.has(day)
}

/** Returns the holidays of a year, including days on which a holiday of the next year is observed. */
function findDays({ rules, isMovedFromWeekends }: Holidays, year: number): string[] {
  const dates = [year, year + 1].flatMap((of) =>
    Object.values(rules).flatMap((rule) => findDate(rule, of) ?? []),
  )
  const all = isMovedFromWeekends ? dates.flatMap((date) => [date, ...moveFromWeekend(date)]) : dates
  return all.filter((date) => date.year === year).map((date) => date.toString())
}

function moveFromWeekend(date: Temporal.PlainDate): Temporal.PlainDate[] {
  if (date.dayOfWeek === saturday) return [date.subtract({ days: 1 })]
  return date.dayOfWeek > saturday ? [date.add({ days: 1 })] : []
}

/** Returns the date of a holiday in a year. Undefined if the year doesn't have the holiday. */
function findDate(rule: HolidayRule, year: number): Temporal.PlainDate | undefined {
  if (rule === 'election')
    return year % 2 === 0
      ? findDate({ month: 11, weekday: monday, nth: 1 }, year)?.add({ days: 1 })
      : undefined
  if ('easter' in rule) return findEaster(year).add({ days: rule.easter })
  if ('day' in rule) return Temporal.PlainDate.from({ year, month: rule.month, day: rule.day })
  const first = Temporal.PlainDate.from({ year, month: rule.month, day: 1 })
  const days = Array.from({ length: first.daysInMonth }, (_, index) => first.add({ days: index }))
  const onWeekday = days.filter(({ dayOfWeek }) => dayOfWeek === rule.weekday)
  const found = onWeekday.at(rule.nth > 0 ? rule.nth - 1 : rule.nth)
  if (found === undefined) throw new Error('invariant: a month has no such weekday')
  return found
}

/** Returns Easter Sunday by the anonymous Gregorian computus (Nature, April 20, 1876). */
function findEaster(year: number): Temporal.PlainDate {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const ofCentury = year % 100
  const skipped =
    century - Math.floor(century / 4) - Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + skipped + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7
  const correction = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const days = epact + weekday - 7 * correction + 114
  return Temporal.PlainDate.from({ year, month: Math.floor(days / 31), day: (days % 31) + 1 })
}
