import type { CallOutcome } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import { hourMs } from '../../platform/core/durations.ts'
import { outcomeBadge, outcomeOrder, type Tone } from '../../platform/views/badges.ts'
import { formatCount, formatDate } from '../../platform/views/format.ts'
import { labels } from '../../platform/views/labels.ts'
import type { EndedCalls } from './overview-queries.ts'

/** A day in a time zone. */
export interface Day {
  /** ISO 8601: "2026-05-04". */
  date: string
  from: Date
  to: Date
  /** The start of each hour: 24, or 23 or 25 when daylight saving time begins or ends. */
  hours: Date[]
}

export function getDay(now: Date, timeZone: string): Day {
  const zoned = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone)
  const start = zoned.startOfDay()
  const end = start.add({ days: 1 }).startOfDay()
  const hours: Date[] = []
  for (let at = start.epochMilliseconds; at < end.epochMilliseconds; at += hourMs) hours.push(new Date(at))
  const date = zoned.toPlainDate().toString()
  return { date, from: new Date(start.epochMilliseconds), to: new Date(end.epochMilliseconds), hours }
}

interface OutcomeRow {
  outcome: CallOutcome
  tone: Tone
  text: string
  count: number
  /** Percentage of the largest count, from 0 to 100. */
  width: number
  percent: number
}

interface HourColumn {
  /** The hour, such as "9 AM". */
  label: string
  total: number
  /** The hour's outcomes in words, such as "answered 3, failed 1". */
  summary: string
  isNow: boolean
  /** The parts from bottom to top, in a chart that is 100 units high. */
  parts: ColumnPart[]
  /** The parts with calls. Only these are drawn. */
  bars: ColumnPart[]
}

interface ColumnPart {
  tone: Tone
  y: number
  height: number
  count: number
}

/** The groups of outcomes in the hourly columns. Nine colors would be hard to tell apart. */
export const outcomeGroups: { tone: Tone; text: string }[] = [
  { tone: 'good', text: labels.outcome.answered },
  { tone: 'warn', text: 'Not reached' },
  { tone: 'bad', text: labels.outcome.failed },
  { tone: 'mute', text: 'Not called' },
]

export interface Charts {
  total: number
  answered: number
  /** Percentage of completed calls; null before the first one. */
  answeredPercent: number | null
  seconds: number
  outcomes: OutcomeRow[]
  hours: HourColumn[]
  /** The hours with calls. */
  busyHours: HourColumn[]
  /** The label of every sixth hour. */
  hourLabels: string[]
  /** The number of calls at the top of the chart. */
  scaleMax: number
  /** Half of `scaleMax`; null if that isn't a whole number. */
  scaleMiddle: number | null
}

export function buildCharts(
  ended: readonly EndedCalls[],
  day: Day,
  { now, timeZone }: { now: Date; timeZone: string },
): Charts {
  const total = sumCounts(ended)
  const byOutcome = Map.groupBy(ended, ({ outcome }) => outcome)
  const counts = outcomeOrder.map((outcome) => ({ outcome, count: sumCounts(byOutcome.get(outcome) ?? []) }))
  const largest = Math.max(1, ...counts.map(({ count }) => count))
  const columns = day.hours.map((hour) => {
    const until = hour.getTime() + hourMs
    const hourCalls = ended.filter(({ quarter }) => quarter >= hour && quarter.getTime() < until)
    return { hour, hourCalls, total: sumCounts(hourCalls), isNow: now >= hour && now.getTime() < until }
  })
  const scaleMax = roundUpToScale(Math.max(0, ...columns.map((column) => column.total)))
  const hours = columns.map(({ hour, hourCalls, total: count, isNow }): HourColumn => {
    const parts = toColumnParts(hourCalls, scaleMax)
    const label = formatDate('hour', hour, timeZone).replace('\u202f', ' ')
    const bars = parts.filter((part) => part.count > 0)
    return { label, total: count, summary: formatColumnParts(parts), isNow, parts, bars }
  })
  const answered = sumCounts(byOutcome.get('answered') ?? [])
  return {
    total,
    answered,
    answeredPercent: total === 0 ? null : Math.round((answered / total) * 100),
    seconds: ended.reduce((sum, { seconds }) => sum + Number(seconds), 0),
    outcomes: counts.map(({ outcome, count }) => ({
      outcome,
      ...outcomeBadge(outcome),
      count,
      width: (count / largest) * 100,
      percent: total === 0 ? 0 : Math.round((count / total) * 100),
    })),
    hours,
    busyHours: hours.filter((column) => column.total > 0),
    hourLabels: hours.filter((_, index) => index % 6 === 0).map(({ label }) => label),
    scaleMax,
    scaleMiddle: scaleMax > 1 && scaleMax % 2 === 0 ? scaleMax / 2 : null,
  }
}

function toColumnParts(calls: readonly EndedCalls[], scaleMax: number): ColumnPart[] {
  const byTone = Map.groupBy(calls, ({ outcome }) => outcomeBadge(outcome).tone)
  let top = 100
  return outcomeGroups.map(({ tone }) => {
    const count = sumCounts(byTone.get(tone) ?? [])
    const height = (count / scaleMax) * 100
    top -= height
    return { tone, y: top, height, count }
  })
}

function formatColumnParts(parts: ColumnPart[]): string {
  const texts = parts.flatMap(({ count }, index) =>
    count === 0 ? [] : [`${outcomeGroups[index]?.text.toLowerCase() ?? ''} ${formatCount(count)}`],
  )
  return texts.length === 0 ? 'no calls' : texts.join(', ')
}

export const sumCounts = (calls: readonly { count: number }[]): number =>
  calls.reduce((all, { count }) => all + Number(count), 0)

/** Rounds up to 1, 2, 5, 10, 20, 50, and so on. */
function roundUpToScale(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= count) ?? 10 * power
}
