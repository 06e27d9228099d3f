import type { CallingHours } from '@outdial/contract'

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/**
 * Returns when calling hours begin again, for example "Monday, November 30 at 9:00 AM".
 *
 * The times are local. A clock change is ignored: it can only matter for hours that begin while the clock changes.
 *
 * @returns undefined within calling hours
 */
export function closedUntil(hours: CallingHours, timeZone: string, now: Date): string | undefined {
  const local = toLocal(now, timeZone)
  const today = Math.floor(local / dayMs) * dayMs
  const start = toMs(hours.start)
  const end = toMs(hours.end)
  // From yesterday, whose hours can end today, to the same day next week.
  const next = Array.from({ length: 9 }, (_, index) => today + (index - 1) * dayMs)
    .filter((day) => hours.days.some((name) => name === weekdays[new Date(day).getUTCDay()]))
    .map((day) => ({ opens: day + start, closes: day + end + (end < start ? dayMs : 0) }))
    .find(({ closes }) => closes > local)
  return next && next.opens > local ? formatLocal(next.opens) : undefined
}

/** Returns the local time as if it were UTC, so that days and times can be added to it. */
function toLocal(now: Date, timeZone: string): number {
  const numeric = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric })
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute)
}

function toMs(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * minuteMs
}

function formatLocal(local: number): string {
  const write = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(local)
  const day = write({ weekday: 'long', month: 'long', day: 'numeric' })
  // Intl puts a narrow space before AM and PM.
  const time = write({ hour: 'numeric', minute: '2-digit' }).replaceAll(/\s/g, ' ')
  return `${day} at ${time}`
}
