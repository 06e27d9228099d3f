import { RuntimeReport } from '@outdial/contract'
import * as z from 'zod'
import { toStorableText } from '../../core/text.ts'
import { cleanInput } from '../../core/validate.ts'

/** A runtime's response when it's asked about an attempt. */
export interface CallState {
  reports: RuntimeReport[]
  /** False if a report couldn't be read. Then a missing report doesn't prove anything. */
  isComplete: boolean
  /** The paths of fields that couldn't be read, such as `reports.2.recording_url`, without their values. */
  issues: string[]
}

const CallStateEnvelope = z.object({ reports: z.array(z.unknown()).max(1_000) })

/**
 * Parses the response to `GET {RUNTIME_URL}/calls/{attempt}`, one report at a time. Accepts a report without its
 * unreadable fields, because a runtime can't be asked to correct a response, and a missed end report could get the
 * contact called again.
 *
 * @throws {Error} if the body isn't a call state. The message doesn't quote the body, which contains names and numbers.
 */
export function parseCallState(body: string): CallState {
  const envelope = CallStateEnvelope.safeParse(parseJson(body))
  if (!envelope.success) throw new Error("the runtime's response isn't a valid list of reports")
  const parsed = envelope.data.reports.map(parseReport)
  return {
    reports: parsed.flatMap(({ report }) => report ?? []),
    isComplete: parsed.every(({ report }) => report !== undefined),
    issues: parsed.flatMap(({ fields }, index) => fields.map((field) => `reports.${index}.${field}`)),
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body, toStorable)
  } catch {
    throw new Error("the runtime's response isn't valid JSON")
  }
}

function parseReport(input: unknown): { report?: RuntimeReport; fields: string[] } {
  const { value, details } = cleanInput(input)
  const parsed = RuntimeReport.safeParse(value)
  const invalidFields = details.map(({ field }) => field.split('.')[0] ?? field)
  if (parsed.success && invalidFields.length === 0) return { report: parsed.data, fields: [] }
  const fields = [...new Set([...invalidFields, ...(parsed.error?.issues ?? []).flatMap(toFields)])]
  const replaced = RuntimeReport.safeParse(replaceFields(fields, value, fallbacks))
  return { report: replaced.data ?? RuntimeReport.safeParse(replaceFields(fields, value, {})).data, fields }
}

const toFields = (issue: z.core.$ZodIssue): string[] =>
  issue.path.length === 0 && issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')]

/** Replacements for fields that can't be read. A contact who may have opted out isn't called again. */
const fallbacks: Record<string, unknown> = {
  ended_reason: 'contact_hung_up',
  transcript: [],
  summary: 'Reached voicemail.',
  do_not_call: true,
  analysis: null,
}

function replaceFields(fields: string[], report: unknown, substitutes: Record<string, unknown>): unknown {
  if (typeof report !== 'object' || report === null) return report
  const remaining = Object.entries(report).filter(([name]) => !fields.includes(name))
  const replaced = Object.entries(substitutes).filter(([name]) => fields.includes(name))
  return Object.fromEntries([...remaining, ...replaced])
}

/** Replaces characters that the database can't store, in values and names. */
function toStorable(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [toStorableText(name), item]))
}
