import type { CallingHours, RetryPolicy, Weekday } from '@outdial/contract'
import { type PageContext, pathTo } from './page-context.ts'

const createFormats = (timeZone: string) => {
  const zoned = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options })
  return {
    full: zoned({ dateStyle: 'medium', timeStyle: 'medium' }),
    withTime: zoned({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
    withYear: zoned({ year: 'numeric', month: 'short', day: 'numeric' }),
    clock: zoned({ hour: 'numeric', minute: '2-digit' }),
    dayOf: zoned({ year: 'numeric', month: '2-digit', day: '2-digit' }),
  }
}

// Slow to make, and there are no more zones than the database of them holds.
const formatsByZone = new Map<string, ReturnType<typeof createFormats>>()

function getFormats(timeZone: string) {
  const formats = formatsByZone.get(timeZone) ?? createFormats(timeZone)
  formatsByZone.set(timeZone, formats)
  return formats
}

/** What templates write with: addresses, and times on the workspace's clock. Everything is text, to be escaped. */
export function createUi(context: Pick<PageContext, 'workspace'>, now: Date) {
  const { timeZone } = context.workspace
  const { full, withTime, withYear, clock, dayOf } = getFormats(timeZone)
  const asDate = (at: Date | string) => (typeof at === 'string' ? new Date(at) : at)

  return {
    timeZone,
    /** An address of this workspace. */
    to: (path: string) => pathTo(context, path),
    iso: (at: Date | string) => asDate(at).toISOString(),
    /** Short: the clock alone for today, else the day too. */
    time: (at: Date | string) => {
      const date = asDate(at)
      if (dayOf.format(date) === dayOf.format(now)) return clock.format(date)
      return now.getTime() - date.getTime() < 300 * 86_400_000 ? withTime.format(date) : withYear.format(date)
    },
    day: (at: Date | string) => withYear.format(asDate(at)),
    /** To the second, for a title. */
    fullTime: (at: Date | string) => `${full.format(asDate(at))} (${timeZone})`,
    /** "5 minutes ago", "in 2 hours". */
    ago: (at: Date | string) => formatRelative(asDate(at).getTime() - now.getTime()),
    /** Seconds as "1 m 05 s". */
    duration: (seconds: number) => {
      if (seconds < 60) return `${seconds} s`
      const minutes = Math.floor(seconds / 60)
      const rest = `${String(seconds % 60).padStart(2, '0')} s`
      return minutes < 60 ? `${minutes} m ${rest}` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`
    },
    count: (value: number) => value.toLocaleString('en-US'),
    /** "1 call", "2 calls". */
    plural: (value: number, one: string, many = `${one}s`) =>
      `${value.toLocaleString('en-US')} ${value === 1 ? one : many}`,
    /** `no_answer` → "No answer". */
    words: (code: string) => {
      const text = code.replaceAll('_', ' ')
      return text.charAt(0).toUpperCase() + text.slice(1)
    },
  }
}

export type Ui = ReturnType<typeof createUi>

const timeUnits: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

const relativeFormat = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

function formatRelative(ms: number): string {
  const [unit, size] = timeUnits.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1_000]
  return relativeFormat.format(Math.trunc(ms / size), unit)
}

/** A name for a contact: its own, else its number, else that it was erased. */
export const formatContactName = (
  contact: { first_name: string | null; last_name: string | null },
  number: string,
): string => [contact.first_name, contact.last_name].filter(Boolean).join(' ') || number || 'Erased contact'

export const weekdays: { value: Weekday; label: string }[] = [
  { value: 'mon', label: 'Monday' },
  { value: 'tue', label: 'Tuesday' },
  { value: 'wed', label: 'Wednesday' },
  { value: 'thu', label: 'Thursday' },
  { value: 'fri', label: 'Friday' },
  { value: 'sat', label: 'Saturday' },
  { value: 'sun', label: 'Sunday' },
]

/** "Monday to Friday, 09:00 to 17:00". */
export function formatCallingHours({ days, start, end }: CallingHours): string {
  const time = `${start} to ${end}${start > end ? ' the next day' : ''}`
  if (days.length === 7) return `Every day, ${time}`
  const indexes = weekdays.flatMap(({ value }, index) => (days.includes(value) ? [index] : []))
  const first = indexes[0] ?? 0
  const last = indexes.at(-1) ?? first
  const isConsecutive = indexes.length > 2 && last - first === indexes.length - 1
  const names = indexes.map((index) => weekdays[index]?.label ?? '')
  return `${isConsecutive ? `${names[0]} to ${names.at(-1)}` : names.join(', ')}, ${time}`
}

/** "Up to 3 attempts, 60 minutes apart, after no answer or busy". */
export function formatRetryPolicy({ max_attempts, delay_minutes, on }: RetryPolicy): string {
  if (max_attempts === 1 || on.length === 0) return 'One attempt'
  const outcomes = on.map((outcome) => outcome.replaceAll('_', ' '))
  const interval = delay_minutes === 1 ? 'a minute' : `${delay_minutes} minutes`
  return `Up to ${max_attempts} attempts, ${interval} apart, after ${outcomes.join(' or ')}`
}

/** Writes moments of a page. Made once for it: the formats are slow to make. */
export function createTimeFormats(now: Date, timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options })
  const day = format({ year: 'numeric', month: 'numeric', day: 'numeric' })
  const clock = format({ hour: 'numeric', minute: '2-digit' })
  const seconds = format({ timeStyle: 'medium' })
  const weekday = format({ weekday: 'short' })
  const date = format({ month: 'short', day: 'numeric' })
  const farDate = format({ month: 'short', day: 'numeric', year: 'numeric' })
  const today = day.format(now)
  return {
    /** "9:00 AM" today, "Mon 9:00 AM" within the week, else "Nov 30, 9:00 AM". */
    short(at: Date): string {
      if (day.format(at) === today) return clock.format(at)
      const days = (at.getTime() - now.getTime()) / 86_400_000
      if (days > 0 && days < 6) return `${weekday.format(at)} ${clock.format(at)}`
      return `${(Math.abs(days) > 300 ? farDate : date).format(at)}, ${clock.format(at)}`
    },
    /** "9:00:05 AM" today, else "Nov 30, 9:00:05 AM". */
    exact: (at: Date): string =>
      day.format(at) === today ? seconds.format(at) : `${date.format(at)}, ${seconds.format(at)}`,
  }
}

export type TimeFormats = ReturnType<typeof createTimeFormats>

/** "and its 2 webhook subscriptions with it", after what ended; empty where it had none. */
export const formatRemovedSubscriptions = (count: number): string =>
  count === 0
    ? ''
    : `, and ${count === 1 ? 'its webhook subscription' : `its ${count} webhook subscriptions`} with it`
