import { RuntimeReport } from '@outdial/contract'
import * as z from 'zod'
import { toStorableText } from '../../core/text.ts'
import { cleanInput } from '../../core/validate.ts'

/** What a runtime told of an attempt when it was asked. */
export interface CallState {
  reports: RuntimeReport[]
  /** Whether each report was taken: from what is missing nothing may be concluded. */
  isComplete: boolean
  /** Where what it told could not be read, such as `reports.2.recording_url`: never what stood there. */
  issues: string[]
}

const CallStateEnvelope = z.object({ reports: z.array(z.unknown()).max(1_000) })

/**
 * Reads the answer to `GET {RUNTIME_URL}/calls/{attempt}` as reports are read that come by themselves, each alone: one
 * that cannot be read hides none of the others. Here nobody can be told to send it better, and an end that goes
 * unheard has its contact called again: a report is taken without those of its parts that cannot be read.
 *
 * @throws {Error} for what is no call state; JSON's own error would quote it, and it holds names and numbers
 */
export function parseCallState(body: string): CallState {
  const envelope = CallStateEnvelope.safeParse(parseJson(body))
  if (!envelope.success) throw new Error('the runtime told nothing that is a list of reports')
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
    throw new Error('the runtime told something that is no JSON')
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

/** What an end says where its own word for it cannot be read. Who may have refused is not called again. */
const fallbacks: Record<string, unknown> = {
  ended_reason: 'contact_hung_up',
  transcript: [],
  summary: 'Reached a voicemail.',
  do_not_call: true,
  analysis: null,
}

function replaceFields(fields: string[], report: unknown, substitutes: Record<string, unknown>): unknown {
  if (typeof report !== 'object' || report === null) return report
  const remaining = Object.entries(report).filter(([name]) => !fields.includes(name))
  const replaced = Object.entries(substitutes).filter(([name]) => fields.includes(name))
  return Object.fromEntries([...remaining, ...replaced])
}

/** No database keeps NUL or half of a character, in values or in names. */
function toStorable(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [toStorableText(name), item]))
}
