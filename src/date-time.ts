const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?))?$/
const withMonthName = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\b\d{4}\b/i
const withSlashes = /^\d{1,2}\/\d{1,2}\/\d{4}\b/
const zone = /\s*(Z|UTC|GMT|[ECMP][SD]T|[+-]\d\d:?\d\d)$/i
const unixSeconds = /^\d{10}$/
const unixMilliseconds = /^\d{13}$/

/**
 * Returns a date and time as ISO 8601 in UTC. In dates with slashes, the month comes first, as in Zapier.
 *
 * @param timeZone of the Zap, for text that has none
 * @returns undefined for text that isn't a date, such as "n/a" or "soon"
 */
export function toTimestamp(text: string, timeZone: string): string | undefined {
  if (unixSeconds.test(text)) return toIso(Number(text) * 1000)
  if (unixMilliseconds.test(text)) return toIso(Number(text))
  const [suffix = ''] = /:/.test(text) ? (zone.exec(text) ?? []) : []
  const clock = toClock(text.slice(0, text.length - suffix.length))
  if (clock === undefined) return undefined
  if (suffix !== '') return toIso(Date.parse(`${clock} ${suffix.trim()}`))
  const asUtc = Date.parse(`${clock} UTC`)
  // The offset can differ between the two moments, next to a change of daylight saving time.
  return toIso(asUtc - offsetAt(asUtc - offsetAt(asUtc, timeZone), timeZone))
}

/** Returns a date and time without a time zone in a form that Date.parse reads. */
function toClock(text: string): string | undefined {
  const [, date, hours = '00', rest = ':00'] = iso.exec(text) ?? []
  if (date !== undefined) return `${date} ${hours.padStart(2, '0')}${rest}`
  return withMonthName.test(text) || withSlashes.test(text) ? text : undefined
}

const toIso = (time: number): string | undefined =>
  Number.isNaN(time) ? undefined : new Date(time).toISOString()

/** Returns how far a time zone's clock is ahead of UTC, in milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  if (Number.isNaN(time)) return NaN
  const clock = new Date(time).toLocaleString('en-US', { timeZone, hourCycle: 'h23' })
  return Date.parse(`${clock} UTC`) - Math.floor(time / 1000) * 1000
}
