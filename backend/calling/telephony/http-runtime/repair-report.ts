import { RecordingUrl, reportLimits, Sentiment } from '@outdial/contract'
import type { Deps } from '../../../deps.ts'
import { toStorableText } from '../../../platform/core/text.ts'

/** A report that's parsed as JSON but not validated yet. The values that a language model writes have been repaired. */
interface RepairedReport {
  value: unknown
  /**
   * The changes to the report, such as `transcript.3.text: shortened to 10,000 characters`. They don't contain values or the
   * names of unknown fields.
   */
  changes: string[]
}

type Fields = Record<string, unknown>

/** Notes a change to a field. */
type Note = (field: string, change: string) => void

/** Maximum changes to note. They're enough to find the cause. */
const maxChanges = 20

/**
 * Repairs values that a language model writes, so that an invalid value doesn't cost the whole report, and with it the call's
 * outcome. Runs before validation, which therefore never gets a long text. Doesn't change values that only the runtime's code
 * writes.
 */
export function repairReport(report: unknown): RepairedReport {
  if (!isFields(report)) return { value: report, changes: [] }
  const changes = new Set<string>()
  const note: Note = (field, change) => {
    if (changes.size < maxChanges) changes.add(`${field}: ${change}`)
  }
  const value = Object.fromEntries(
    Object.entries(report).map(([name, item]) => [name, repairField(name, item, report.type, note)]),
  )
  return { value, changes: [...changes] }
}

/**
 * Counts and logs reports that were repaired.
 *
 * @param repaired the changes of each report
 */
export function noteRepairs(
  { log, metrics }: Pick<Deps, 'log' | 'metrics'>,
  attemptId: string,
  repaired: readonly string[][],
): void {
  metrics.repairedReports.inc(repaired.length)
  log.warn(
    { attempt: attemptId, changes: repaired.flat().slice(0, maxChanges) },
    'repaired values of a report',
  )
}

function repairField(name: string, value: unknown, type: unknown, note: Note): unknown {
  if (name === 'analysis') return repairAnalysis(value, type === 'analysis' ? {} : null, note)
  if (name === 'transcript') return repairTranscript(value, note)
  if (isBlank(value)) return undefined
  if (name === 'summary') return repairText(value, name, note)
  if (name === 'recording_url') return repairUrl(value, note)
  return value
}

function repairTranscript(value: unknown, note: Note): unknown {
  if (isBlank(value)) return null
  if (!Array.isArray(value)) return value
  const turns: unknown[] = value
  return takeFirst(turns.filter(isWhole), reportLimits.turns, 'transcript', note).map((turn, index) =>
    isFields(turn) ? repairTurn(turn, `transcript.${index}.text`, note) : turn,
  )
}

/** Returns true if a turn's role and time aren't blank. Other turns are left out, so that the rest stays valid. */
const isWhole = (turn: unknown): boolean =>
  isFields(turn) ? !isBlank(turn.role) && !isBlank(turn.at) : !isBlank(turn)

/** Repairs a turn, and leaves out unknown fields without noting that as a change. */
const repairTurn = ({ role, text, at }: Fields, field: string, note: Note): Fields => ({
  role,
  text: repairText(text, field, note),
  at,
})

/** @param none the value of an analysis that can't be read */
function repairAnalysis(value: unknown, none: Fields | null, note: Note): unknown {
  if (isFields(value)) {
    const { summary, sentiment, goal_met, extracted, ...others } = value
    if (Object.keys(others).length > 0) note('analysis', 'left out unknown fields')
    return {
      summary: repairText(summary, 'analysis.summary', note),
      sentiment: repairSentiment(sentiment, note),
      goal_met: repairGoal(goal_met, note),
      extracted: repairExtracted(extracted, note),
    }
  }
  if (!isBlank(value)) note('analysis', notReadable)
  // A blank text counts like an omitted analysis, which the runtime can still send later.
  return typeof value === 'string' && isBlank(value) ? (none ?? undefined) : none
}

function repairSentiment(value: unknown, note: Note): Sentiment | null {
  if (isBlank(value)) return null
  const name = typeof value === 'string' ? value.slice(0, reportLimits.key).trim().toLowerCase() : value
  const { data = null } = Sentiment.safeParse(name)
  if (data === null) note('analysis.sentiment', notReadable)
  return data
}

function repairGoal(value: unknown, note: Note): boolean | null {
  if (typeof value === 'boolean') return value
  if (!isBlank(value)) note('analysis.goal_met', notReadable)
  return null
}

function repairExtracted(value: unknown, note: Note): Fields | null {
  const field = 'analysis.extracted'
  if (isBlank(value)) return null
  if (!isFields(value)) {
    note(field, notReadable)
    return null
  }
  const filled = Object.entries(value).filter(([, item]) => item === null || !isEmpty(item))
  const entries = takeFirst(filled, reportLimits.values, field, note).flatMap(
    ([name, item]): [string, unknown][] => {
      const scalar = toScalar(item, note)
      // zod's records drop this name silently.
      if (scalar !== undefined && name !== '__proto__')
        return [[cut(name, reportLimits.key, field, note), scalar]]
      note(field, 'left out a value that is not readable')
      return []
    },
  )
  return Object.fromEntries(entries)
}

/** Returns undefined for a value that isn't flat. A flat list becomes one text. */
function toScalar(value: unknown, note: Note): unknown {
  const field = 'analysis.extracted'
  if (typeof value === 'string') return cut(value, reportLimits.characters, field, note)
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? undefined : value
  const items = value.filter((item: unknown) => !isBlank(item))
  if (items.some((item) => typeof item === 'object')) return undefined
  note(field, 'joined a list')
  return cut(items.join(', '), reportLimits.characters, field, note)
}

function repairText(value: unknown, field: string, note: Note): string | null {
  if (isBlank(value)) return null
  if (typeof value === 'string') return cut(value, reportLimits.characters, field, note)
  note(field, notReadable)
  return null
}

/** Leaves out a URL that's invalid or too long. A shortened URL would be useless. */
function repairUrl(value: unknown, note: Note): string | undefined {
  const parsed = RecordingUrl.safeParse(value)
  if (parsed.success && toStorableText(parsed.data) === parsed.data) return parsed.data
  const isLong = typeof value === 'string' && value.length > reportLimits.url
  note('recording_url', isLong ? `left out, longer than ${format(reportLimits.url)} characters` : notReadable)
  return undefined
}

/** Shortens a text, and replaces characters that the database can't store. */
function cut(text: string, max: number, field: string, note: Note): string {
  const short = text.length > max ? text.slice(0, max) : text
  if (short !== text) note(field, `shortened to ${format(max)} characters`)
  const storable = toStorableText(short)
  if (storable !== short && short === text) note(field, "replaced characters that can't be stored")
  return storable
}

function takeFirst<Item>(items: readonly Item[], max: number, field: string, note: Note): readonly Item[] {
  if (items.length <= max) return items
  note(field, `shortened to ${format(max)} entries`)
  return items.slice(0, max)
}

const notReadable = 'not readable'

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Returns true for a blank value, a list of blank values, and an object without fields. */
function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isBlank(value)
  return Array.isArray(value) ? value.every(isBlank) : Object.keys(value).length === 0
}

const format = (count: number) => count.toLocaleString('en-US')
