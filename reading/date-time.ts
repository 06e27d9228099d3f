// cspell:ignore akdt akst mhdw
import { readAmericanTimeZone } from './time-zone.ts'

/**
 * Formats of dates that have only one meaning, or that Zapier reads in the same way. In dates such as 7/4/2026, the month comes
 * first, unless that number can't be a month. Only dates in this format can have a year of two digits, because Zapier's own
 * "now" has one.
 */
const dates = [
  /^(?<year>\d{4})[-/](?<month>\d\d?)[-/](?<day>\d\d?)(?!\d)/,
  /^(?<day>1[3-9]|2\d|3[01])\/(?<month>\d\d?)\/(?<year>\d{4})(?!\d)/,
  /^(?<month>\d\d?)\/(?<day>\d\d?)\/(?<year>\d{4}|\d\d)(?!\d)/,
  /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})(?!\d)/,
  /^(?:[a-z]{3,9},? )?(?<name>[a-z]{3})[a-z]*\.? (?<day>\d\d?)(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)/i,
  /^(?:[a-z]{3,9},? )?(?<day>\d\d?)(?:st|nd|rd|th)?\.? (?<name>[a-z]{3})[a-z]*\.?,? (?<year>\d{4})(?!\d)/i,
]
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A time, such as 9:30, 09:30:15.123, 9:30 PM, or 9am. */
const time =
  /^(?:T|,? (?:at )?)(?<hours>\d\d?)(?::(?<minutes>\d\d)(?::(?<seconds>\d\d(?:\.\d+)?))?|(?= ?[ap]))(?: ?(?<half>[ap])\.?m\.?)?$/i

/** A time zone after a time. JavaScript writes `GMT-0500 (Eastern Standard Time)`. */
const zone =
  /(?<=\d|[ap]\.?m\.?) ?(?:(?<name>Z|UTC|GMT|[ECMP][SD]?T|AK[SD]T|HST)|(?:GMT|UTC)?(?<sign>[+-])(?<hours>0\d|1[0-4]):?(?<minutes>[0-5]\d)(?: \([^()]*\))?)$/i
/**
 * The hours from UTC for abbreviations that always mean the same offset, as in the dates of emails (RFC 5322). ET, CT, MT, and
 * PT aren't included, because their offsets change in summer.
 */
const zoneHours: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
}

/**
 * Matches the time that Zapier's users add to a date, such as "+1d -2h". Zapier itself adds this time only in datetime fields.
 */
const shifts = /(?: ?[+-]\d{1,4}[mhdw]){1,8}$/
const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The maximum length of a date. Longer text isn't read. */
const maxDateLength = 200

/**
 * The range of years. Earlier years are placeholders, such as 0001-01-01, or typing errors. ISO 8601 ends with the year 9999,
 * and a time zone can move a date to the next year.
 */
const firstYear = 1900
const lastYear = 9998

const unixTime = /^(?<digits>\d{10}|\d{13})(?:\.0+)?$/

/** A date, with or without a time, as it was typed. */
export interface TypedDateTime {
  /** The local date and time, in milliseconds since 1970, computed as if they were in UTC. */
  clock: number
  /** How far local time is ahead of UTC, in milliseconds. Undefined if the text has no time zone. */
  offset: number | undefined
  hasTime: boolean
}

/** Returns undefined for text that isn't a date, such as "n/a" or "tomorrow". */
export function readDateTime(text: string): TypedDateTime | undefined {
  if (text.length > maxDateLength) return undefined
  const spaced = text.replace(/\s+/g, ' ').trim()
  const shiftText = shifts.exec(spaced)?.[0] ?? ''
  const typed = readWithoutShift(spaced.slice(0, spaced.length - shiftText.length))
  if (typed === undefined) return undefined
  // Shifts the time zone's clock, so that a day later is the same time of day.
  const clock = typed.clock + readShift(shiftText)
  const year = new Date(clock).getUTCFullYear()
  if (year < firstYear || year > lastYear) return undefined
  return { clock, offset: typed.zone && readOffset(typed.zone, clock), hasTime: typed.hasTime }
}

function readShift(text: string): number {
  const parts = [...text.matchAll(/([+-]\d+)([mhdw])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit as keyof typeof unitMs], 0)
}

type Groups = Record<string, string | undefined>

interface Clock {
  clock: number
  hasTime: boolean
}

function readWithoutShift(text: string): (Clock & { zone?: Groups | undefined }) | undefined {
  const digits = unixTime.exec(text)?.groups?.digits
  if (digits !== undefined)
    return { clock: Number(digits.padEnd(13, '0')), zone: { name: 'UTC' }, hasTime: true }
  const suffix = /:|[ap]\.?m/i.test(text) ? zone.exec(text) : null
  const typed = readClock(suffix === null ? text : text.slice(0, suffix.index))
  return typed && { ...typed, zone: suffix?.groups }
}

function readClock(text: string): Clock | undefined {
  const date = dates.map((format) => format.exec(text)).find((match) => match !== null)
  if (date === undefined) return undefined
  const { year = '', month, name, day }: Groups = date.groups ?? {}
  const monthIndex = name === undefined ? Number(month) - 1 : monthNames.indexOf(name.toLowerCase())
  const fullYear = Number(year.padStart(4, '20'))
  const midnight = new Date(Date.UTC(fullYear, monthIndex, Number(day)))
  // Date.UTC accepts February 30, and takes the year 1 for 1901.
  if (midnight.getUTCFullYear() !== fullYear || midnight.getUTCMonth() !== monthIndex) return undefined
  const rest = text.slice(date[0].length)
  if (rest === '') return { clock: midnight.getTime(), hasTime: false }
  const sinceMidnight = readTime(time.exec(rest)?.groups)
  if (sinceMidnight === undefined) return undefined
  return { clock: midnight.getTime() + sinceMidnight, hasTime: true }
}

/** Returns a time as milliseconds since midnight. */
function readTime(groups: Groups | undefined): number | undefined {
  if (groups === undefined) return undefined
  const hours = Number(groups.hours)
  const minutes = Number(groups.minutes ?? 0)
  const seconds = Number(groups.seconds ?? 0)
  const isValidHour = groups.half === undefined ? hours < 24 : hours >= 1 && hours <= 12
  if (!isValidHour || minutes > 59 || seconds >= 60) return undefined
  const hour = groups.half === undefined ? hours : (hours % 12) + (/p/i.test(groups.half) ? 12 : 0)
  return Math.round(((hour * 60 + minutes) * 60 + seconds) * 1000)
}

/** Returns how far a zone's clock is ahead of UTC when it shows `clock`, in milliseconds. */
function readOffset({ name, sign, hours, minutes }: Groups, clock: number): number {
  if (name === undefined) return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  const fixedHours = zoneHours[name.toUpperCase()]
  if (fixedHours !== undefined) return fixedHours * 3_600_000
  const timeZone = readAmericanTimeZone(name, { country: 'US', zones: [] }) ?? 'UTC'
  return clock - toMoment({ clock, offset: undefined }, timeZone)
}

/**
 * Returns the moment of a date in milliseconds since 1970. If a clock change repeats the time, the first one counts. A time
 * that a clock change skips is read as if clocks hadn't changed yet, so it becomes a later time.
 *
 * @param timeZone the time zone of a date that has none
 */
export function toMoment(
  { clock, offset }: Pick<TypedDateTime, 'clock' | 'offset'>,
  timeZone: string,
): number {
  if (offset !== undefined) return clock - offset
  const first = clock - offsetAt(clock - unitMs.d, timeZone)
  if (toClock(first, timeZone) === clock) return first
  const second = clock - offsetAt(clock + unitMs.d, timeZone)
  return toClock(second, timeZone) === clock ? second : first
}

/** Returns true for a time that never occurs, because clocks skip it when daylight saving time starts. */
export const isSkipped = (typed: TypedDateTime, timeZone: string): boolean =>
  typed.offset === undefined && toClock(toMoment(typed, timeZone), timeZone) !== typed.clock

const toClock = (moment: number, timeZone: string): number => moment + offsetAt(moment, timeZone)

/** Returns how far a time zone's clock is ahead of UTC, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  return Date.parse(`${formatOf(timeZone).format(moment)} UTC`) - Math.floor(moment / 1000) * 1000
}

const formats = new Map<string, Intl.DateTimeFormat>()

// Caches the formats, because a file can have 100,000 dates, and creating a format takes longer than all else.
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ ...parts, minute: 'numeric', second: 'numeric' },
    ...{ timeZone, hourCycle: 'h23' },
  })
  formats.set(timeZone, format)
  return format
}
