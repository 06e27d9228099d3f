import { dayMs, hourMs, minuteMs, secondMs } from '../backend/platform/core/durations.ts'
import { formatPlural } from '../backend/platform/views/format.ts'

const units: readonly [ms: number, name: string][] = [
  [dayMs, 'day'],
  [hourMs, 'hour'],
  [minuteMs, 'minute'],
  [secondMs, 'second'],
]

/** Formats a duration in the largest unit that gives a whole number: "5 minutes", "30 days". Exactly one day is "24 hours". */
export function formatDuration(ms: number): string {
  const [unit, name] = units.find(
    ([each, label]) => ms % each === 0 && (label === 'day' ? ms > each : ms >= each),
  ) ?? [1, 'millisecond']
  return formatPlural(ms / unit, name)
}

/** Formats a size in the way that error messages do: "16 KB", "20 MB". */
export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`
}
