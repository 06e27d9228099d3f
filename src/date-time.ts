// cspell:ignore mhdw
/** Dates that can be read in only one way, or that Zapier reads in this way: with slashes, the month comes first. */
const dates = [
  /^(?<year>\d{4})[-/](?<month>\d\d?)[-/](?<day>\d\d?)(?!\d)/,
  /^(?<month>\d\d?)\/(?<day>\d\d?)\/(?<year>\d{4})(?!\d)/,
  /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})(?!\d)/,
  /^(?:[a-z]{3,9},? )?(?<name>[a-z]{3})[a-z]*\.? (?<day>\d\d?)(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)/i,
  /^(?:[a-z]{3,9},? )?(?<day>\d\d?)(?:st|nd|rd|th)?\.? (?<name>[a-z]{3})[a-z]*\.?,? (?<year>\d{4})(?!\d)/i,
]
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A time, such as 9:30, 09:30:15.123, 9:30 PM, or 9am. */
const time =
  /^(?:T|,? (?:at )?)(?<hours>\d\d?)(?::(?<minutes>\d\d)(?::(?<seconds>\d\d(?:\.\d+)?))?|(?= ?[ap]))(?: ?(?<half>[ap])\.?m\.?)?$/i

/** What a time can end with. */
const zone =
  /(?<=\d|[ap]\.?m\.?) ?(?:(?<name>Z|UTC|GMT|[ECMP][SD]T)|(?<sign>[+-])(?<hours>0\d|1[0-4]):?(?<minutes>[0-5]\d))$/i
const zoneHours = {
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
}

/** What Zapier's users add to a date, such as "+1d -2h". Zapier itself calculates it only for datetime fields. */
const shifts = /(?: ?[+-]\d{1,4}[mhdw]){1,8}$/
const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Longer text isn't a date. */
const maxDateLength = 200

const unixTime = /^(?:\d{10}|\d{13})$/

/**
 * Returns a date and time as ISO 8601 in UTC.
 *
 * @param timeZone of the Zap, for text that has none
 * @returns undefined for text that isn't a date, such as "n/a" or "soon"
 */
export function toTimestamp(text: string, timeZone: string): string | undefined {
  if (text.length > maxDateLength) return undefined
  const spaced = text.replace(/\s+/g, ' ')
  const shiftText = shifts.exec(spaced)?.[0] ?? ''
  return readDate(spaced.slice(0, spaced.length - shiftText.length), timeZone, readShift(shiftText))
}

function readShift(text: string): number {
  const parts = [...text.matchAll(/([+-]\d+)([mhdw])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit as keyof typeof unitMs], 0)
}

/** @param shift in milliseconds, on the time zone's clock, so that a day later is the same time of day */
function readDate(text: string, timeZone: string, shift: number): string | undefined {
  if (unixTime.test(text)) return toIso(Number(text.padEnd(13, '0')) + shift)
  const suffix = /:|[ap]\.?m/i.test(text) ? zone.exec(text) : null
  const typed = readClock(suffix === null ? text : text.slice(0, suffix.index))
  if (typed === undefined) return undefined
  const clock = typed + shift
  if (suffix !== null) return toIso(clock - readOffset(suffix.groups ?? {}))
  // The offset can differ between the two moments, next to a change of daylight saving time.
  return toIso(clock - offsetAt(clock - offsetAt(clock, timeZone), timeZone))
}

type Groups = Record<string, string | undefined>

/** Returns a date and time without a time zone as the milliseconds that they would have in UTC. */
function readClock(text: string): number | undefined {
  const date = dates.map((format) => format.exec(text)).find((match) => match !== null)
  if (date === undefined) return undefined
  const { year, month, name, day }: Groups = date.groups ?? {}
  const monthIndex = name === undefined ? Number(month) - 1 : monthNames.indexOf(name.toLowerCase())
  const midnight = new Date(Date.UTC(Number(year), monthIndex, Number(day)))
  // Date.UTC accepts February 30.
  if (midnight.getUTCMonth() !== monthIndex || midnight.getUTCDate() !== Number(day)) return undefined
  const rest = text.slice(date[0].length)
  const sinceMidnight = rest === '' ? 0 : readTime(time.exec(rest)?.groups)
  return sinceMidnight === undefined ? undefined : midnight.getTime() + sinceMidnight
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
  return ((hour * 60 + minutes) * 60 + seconds) * 1000
}

/** Returns how far a zone's clock is ahead of UTC, in milliseconds. */
function readOffset({ name, sign, hours, minutes }: Groups): number {
  if (name !== undefined) return zoneHours[name.toUpperCase() as keyof typeof zoneHours] * 3_600_000
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
}

const toIso = (milliseconds: number): string => new Date(Math.round(milliseconds)).toISOString()

/** Returns how far a time zone's clock is ahead of UTC, in milliseconds. */
function offsetAt(milliseconds: number, timeZone: string): number {
  const clock = new Date(milliseconds).toLocaleString('en-US', { timeZone, hourCycle: 'h23' })
  return Date.parse(`${clock} UTC`) - Math.floor(milliseconds / 1000) * 1000
}
