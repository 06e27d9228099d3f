import { type CallingHours, outcomeTexts, type RetryPolicy, Weekday, weekdayLabels } from '@outdial/contract'
import { LRUCache } from 'lru-cache'
import { dayMs, hourMs, minuteMs, secondMs } from '../core/durations.ts'

// Formats dates, numbers, and names for pages: en-US, in the workspace's time zone.

const dateStyles = {
  full: { dateStyle: 'medium', timeStyle: 'medium' },
  dateAndTime: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  date: { month: 'short', day: 'numeric' },
  dateWithYear: { year: 'numeric', month: 'short', day: 'numeric' },
  year: { year: 'numeric' },
  longDate: { weekday: 'long', month: 'long', day: 'numeric' },
  weekday: { weekday: 'short' },
  hour: { hour: 'numeric' },
  minutes: { hour: 'numeric', minute: '2-digit' },
  seconds: { timeStyle: 'medium' },
} satisfies Record<string, Intl.DateTimeFormatOptions>

type DateStyle = keyof typeof dateStyles

// Formats are cached, because they're slow to create.
const dateFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 })

/** Formats a date in a time zone. */
export function formatDate(style: DateStyle, at: Date, timeZone: string): string {
  const key = `${style} ${timeZone}`
  const cached = dateFormats.get(key)
  if (cached !== undefined) return cached.format(at)
  const created = new Intl.DateTimeFormat('en-US', { timeZone, ...dateStyles[style] })
  dateFormats.set(key, created)
  return created.format(at)
}

/** Formats the times of one page, relative to `now`. */
export function createTimeFormats(now: Date, timeZone: string) {
  const asDate = (at: Date | string) => (typeof at === 'string' ? new Date(at) : at)
  const format = (style: DateStyle, at: Date) => formatDate(style, at, timeZone)
  const isToday = (at: Date) => format('dateWithYear', at) === format('dateWithYear', now)
  const isFar = (at: Date) => Math.abs(at.getTime() - now.getTime()) > 300 * dayMs
  const date = (at: Date) => format(format('year', at) === format('year', now) ? 'date' : 'dateWithYear', at)
  const dayAndTime = (at: Date) => {
    const minutes = format('minutes', at)
    const days = (at.getTime() - now.getTime()) / dayMs
    return days >= 0 && days < 6 ? `${format('weekday', at)} ${minutes}` : `${date(at)}, ${minutes}`
  }
  const time = (value: Date | string) => {
    const at = asDate(value)
    if (isToday(at)) return format('minutes', at)
    return at < now && isFar(at) ? format('dateWithYear', at) : format('dateAndTime', at)
  }

  return {
    timeZone,
    iso: (at: Date | string) => asDate(at).toISOString(),
    /** "9:00 AM" today, else "Nov 30, 9:00 AM", and "Nov 30, 2025" long ago. */
    time,
    /** Formats the time in a sentence: "at 9:00 AM", "on Nov 30, 9:00 AM". */
    timePhrase: (value: Date | string) => `${isToday(asDate(value)) ? 'at' : 'on'} ${time(value)}`,
    /** "9:00 AM" today, "Mon 9:00 AM" within the week, else "Nov 30, 9:00 AM", or "Jan 4, 2027, 9:00 AM". */
    upcomingTime: (at: Date) => (isToday(at) ? format('minutes', at) : dayAndTime(at)),
    /** "Mon 9:00 AM" within the week, today included, else like `upcomingTime`. */
    dayAndTime,
    /** "9:00:05 AM" today, else "Nov 30, 9:00:05 AM", or "Nov 30, 2025, 9:00:05 AM". */
    exactTime: (at: Date) => (isToday(at) ? format('seconds', at) : `${date(at)}, ${format('seconds', at)}`),
    day: (at: Date | string) => format('dateWithYear', asDate(at)),
    /** Formats a time with seconds and the time zone, for tooltips. */
    fullTime: (at: Date | string) => `${format('full', asDate(at))} (${timeZone})`,
    /** "5 minutes ago", "in 2 hours". */
    ago: (at: Date | string) => formatRelative(asDate(at).getTime() - now.getTime()),
  }
}

export type TimeFormats = ReturnType<typeof createTimeFormats>

/** Formats a number as "1,234". */
export const formatCount = (value: number): string => value.toLocaleString('en-US')

/** Formats a number of things as "1 call" or "2 calls". */
export const formatPlural = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`

/** Formats seconds as "1m 05s". */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
  return `${minutes}m ${String(seconds % 60).padStart(2, '0')}s`
}

/** Formats milliseconds as "35 ms" or "1.2 s". */
export const formatMilliseconds = (ms: number): string =>
  ms < secondMs ? `${ms} ms` : `${(ms / secondMs).toFixed(1)} s`

const timeUnits: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
  ['second', secondMs],
]

const relativeFormat = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

function formatRelative(ms: number): string {
  const [unit, size] = timeUnits.find(([, each]) => Math.abs(ms) >= each) ?? ['second', secondMs]
  return relativeFormat.format(Math.round(ms / size), unit)
}

/** Returns a contact's name, its number if it has no name, or "Erased contact". */
export const formatContactName = (
  contact: { first_name: string | null; last_name: string | null },
  number: string,
): string => [contact.first_name, contact.last_name].filter(Boolean).join(' ') || number || 'Erased contact'

export const weekdays = Weekday.options.map((value) => ({ value, label: weekdayLabels[value] }))

/** Returns the city in a time zone's name, such as "New York", or the whole name if it has no city. */
export const formatCity = (timeZone: string): string => timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? ''

/** Formats "17:00" as "5:00 PM", and "24:00" as "midnight". */
function formatTimeOfDay(time: string): string {
  if (time === '24:00') return 'midnight'
  const [hours = '', minutes = ''] = time.split(':')
  return `${Number(hours) % 12 || 12}:${minutes} ${Number(hours) < 12 ? 'AM' : 'PM'}`
}

/** Formats calling hours as "Monday to Friday, 9:00 AM to 5:00 PM". */
export function formatCallingHours({ days, start, end }: CallingHours): string {
  const isAllDay = start === '00:00' && end === '24:00'
  const nextDay = start > end ? ' the next day' : ''
  const time = isAllDay ? 'all day' : `${formatTimeOfDay(start)} to ${formatTimeOfDay(end)}${nextDay}`
  if (days.length === 7) return `Every day, ${time}`
  const indexes = weekdays.flatMap(({ value }, index) => (days.includes(value) ? [index] : []))
  const first = indexes[0] ?? 0
  const last = indexes.at(-1) ?? first
  const isConsecutive = indexes.length > 2 && last - first === indexes.length - 1
  const names = indexes.map((index) => weekdays[index]?.label ?? '')
  return `${isConsecutive ? `${names[0]} to ${names.at(-1)}` : andFormat.format(names)}, ${time}`
}

const orFormat = new Intl.ListFormat('en-US', { type: 'disjunction' })
const andFormat = new Intl.ListFormat('en-US')

/** Formats a retry policy as "Up to 3 attempts in total, 60 minutes apart, if the outcome is No answer or Busy". */
export function formatRetryPolicy({ max_attempts, delay_minutes, on }: RetryPolicy): string {
  if (max_attempts === 1 || on.length === 0) return 'One attempt'
  const outcomes = orFormat.format(on.map((outcome) => outcomeTexts[outcome].label))
  const interval = delay_minutes === 1 ? 'a minute' : `${delay_minutes} minutes`
  return `Up to ${max_attempts} attempts in total, ${interval} apart, if the outcome is ${outcomes}`
}

/** Returns "2 webhook subscriptions will be removed", for confirmations. */
export const formatSubscriptionsToRemove = (count: number): string =>
  `${formatPlural(count, 'webhook subscription')} will be removed`

/** Returns ", and its 2 webhook subscriptions were removed", or an empty string if there were none. */
export const formatRemovedSubscriptions = (count: number): string =>
  count === 0
    ? ''
    : `, and its ${count === 1 ? 'webhook subscription was' : `${count} webhook subscriptions were`} removed`

const languageNames = new Intl.DisplayNames('en-US', { type: 'language', languageDisplay: 'standard' })

/** Longer language tags aren't looked up: agents of earlier versions can have such tags, for which `Intl` takes long. */
const maxTagLength = 35

/** Returns the name of a language, such as "German (Austria)", or the tag itself if it has no known name. */
export function languageName(tag: string): string {
  if (tag.length > maxTagLength) return tag
  try {
    return languageNames.of(tag) ?? tag
  } catch {
    return tag
  }
}
