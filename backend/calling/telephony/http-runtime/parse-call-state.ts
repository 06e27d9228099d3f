import { maxReports, reportFieldNames, RuntimeReport } from '@outdial/contract'
import * as z from 'zod'
import { cleanInput } from '../../../platform/core/validate.ts'
import { repairReport } from './repair-report.ts'
import type { ReceivedReport } from './report-store.ts'

/** A runtime's response when it's asked about an attempt. */
export interface CallState {
  reports: ReceivedReport[]
  /**
   * Which fields made reports unreadable, such as `reports.2.type: not readable`, without the fields' values. If the list isn't
   * empty, a report that seems to be missing may be an unreadable one.
   */
  unreadable: string[]
}

/** Keeps the last reports if there are too many, because one of them is the end of the call. */
const CallStateEnvelope = z.object({
  reports: z.array(z.unknown()).transform((reports) => reports.slice(-maxReports)),
})

/**
 * Parses the response to `GET {RUNTIME_URL}/calls/{attempt}`, one report at a time. Accepts a report without its
 * unreadable fields, because a runtime can't be asked to correct a response, and a missed end report could get the
 * contact called again.
 *
 * @param receivedAt replaces times that can't be read
 * @throws {UnreadableStateError} if the body isn't a call state
 */
export function parseCallState(body: string, receivedAt: Date): CallState {
  const envelope = CallStateEnvelope.safeParse(parseJson(body))
  if (!envelope.success)
    throw new UnreadableStateError("the runtime's response isn't a valid list of reports")
  const parsed = envelope.data.reports.map((report) => parseReport(report, receivedAt))
  return {
    reports: parsed.flatMap(({ report, changes }) => (report === undefined ? [] : { report, changes })),
    unreadable: parsed.flatMap(({ report, changes }, index) =>
      report === undefined ? changes.map((change) => `reports.${index}.${change}`) : [],
    ),
  }
}

/**
 * The response, or a part of it, can't be read. The error message doesn't quote the response, because it contains names and
 * numbers.
 */
export class UnreadableStateError extends Error {}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new UnreadableStateError("the runtime's response isn't valid JSON")
  }
}

function parseReport(input: unknown, receivedAt: Date): { report?: RuntimeReport; changes: string[] } {
  const repaired = repairReport(input)
  const { value, details } = cleanInput(repaired.value, { keepEmptied: true })
  const parsed = RuntimeReport.safeParse(value)
  const invalidFields = details.map(({ field }) => field.split('.')[0] ?? field)
  if (parsed.success && invalidFields.length === 0) return { report: parsed.data, changes: repaired.changes }
  const fields = [...new Set([...invalidFields, ...(parsed.error?.issues ?? []).flatMap(toFields)])]
  const at = receivedAt.toISOString()
  const replaced = RuntimeReport.safeParse(
    replaceFields(fields, value, { ...fallbacks, at, answered_at: at }),
  )
  const report = replaced.data ?? RuntimeReport.safeParse(replaceFields(fields, value, { at })).data
  const changes = [...repaired.changes, ...fields.map((field) => `${toKnownName(field)}: not readable`)]
  return { report, changes: [...new Set(changes)] }
}

/** Replaces the name of an unknown field, because a runtime can choose any name, even a phone number. */
const toKnownName = (field: string): string => (reportFieldNames.has(field) ? field : 'unknown field')

const toFields = (issue: z.core.$ZodIssue): string[] =>
  issue.path.length === 0 && issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')]

/** Replacements for fields that can't be read. A contact who may have opted out isn't called again. */
const fallbacks: Record<string, unknown> = {
  ended_reason: 'contact_hung_up',
  transcript: [],
  do_not_call: true,
}

function replaceFields(fields: string[], report: unknown, substitutes: Record<string, unknown>): unknown {
  if (typeof report !== 'object' || report === null) return report
  const remaining = Object.entries(report).filter(([name]) => !fields.includes(name))
  const replaced = Object.entries(substitutes).filter(([name]) => fields.includes(name))
  return Object.fromEntries([...remaining, ...replaced])
}
