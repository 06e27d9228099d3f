import { reportLimits } from '@outdial/contract'

/** A report, parsed as JSON but not validated, whose values are within their limits. */
interface ShortenedReport {
  value: unknown
  /** What was shortened or left out, such as `transcript.3.text: shortened to 10,000 characters`. Without values. */
  changes: string[]
}

/**
 * Shortens what's over its limit, because the rest of a report, such as the outcome, isn't worth losing for it. Looks at
 * lengths only, so it comes before validation. Leaves out a URL that's too long, because a part of it is useless.
 */
export function shortenReport(report: unknown): ShortenedReport {
  const changes: string[] = []
  return { value: shorten(report, [], changes), changes: changes.slice(0, maxChanges) }
}

/** Enough to find the cause. */
const maxChanges = 20

function shorten(value: unknown, path: readonly string[], changes: string[]): unknown {
  if (typeof value === 'string') return shortenText(value, path, changes)
  // Validation rejects what's nested this deeply.
  if (typeof value !== 'object' || value === null || path.length > 4) return value
  if (Array.isArray(value)) {
    const items = takeFirst(value, reportLimits.turns, path, changes)
    return items.map((item, index) => shorten(item, [...path, String(index)], changes))
  }
  const entries = Object.entries(value)
  if (path.at(-1) !== 'extracted')
    return Object.fromEntries(entries.map(([name, item]) => [name, shorten(item, [...path, name], changes)]))
  // The names are content, too, so they aren't noted.
  return Object.fromEntries(
    takeFirst(entries, reportLimits.values, path, changes).map(([name, item]) => [
      cut(name, reportLimits.key, path, changes),
      shorten(item, path, changes),
    ]),
  )
}

function shortenText(text: string, path: readonly string[], changes: string[]): string | undefined {
  if (path.at(-1) !== 'recording_url') return cut(text, reportLimits.characters, path, changes)
  if (text.length <= reportLimits.url) return text
  changes.push(`${toName(path)}: left out, longer than ${format(reportLimits.url)} characters`)
  return undefined
}

function cut(text: string, max: number, path: readonly string[], changes: string[]): string {
  if (text.length <= max) return text
  changes.push(`${toName(path)}: shortened to ${format(max)} characters`)
  return text.slice(0, max).toWellFormed()
}

function takeFirst<Item>(
  items: readonly Item[],
  max: number,
  path: readonly string[],
  changes: string[],
): readonly Item[] {
  if (items.length <= max) return items
  changes.push(`${toName(path)}: shortened to ${format(max)} entries`)
  return items.slice(0, max)
}

/** A field that a runtime made up can have any name. */
const toName = (path: readonly string[]): string => path.join('.').slice(0, 100)

const format = (count: number) => count.toLocaleString('en-US')
