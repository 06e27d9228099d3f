import type { PageContext } from '../visit.ts'
import { pathTo } from '../visit.ts'

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
