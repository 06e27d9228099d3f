import { RuntimeReport } from '@outdial/contract'
import * as z from 'zod'
import { clean } from '../../http/clean.ts'
import { storableText } from '../../storable-text.ts'

/** What a runtime told of an attempt when it was asked. */
export interface CallStateRead {
  reports: RuntimeReport[]
  /** Whether each report was taken: from what is missing nothing may be concluded. */
  isComplete: boolean
  /** Where what it told could not be read, such as `reports.2.recording_url`: never what stood there. */
  faults: string[]
}

const Outline = z.object({ reports: z.array(z.unknown()).max(1_000) })

/**
 * Reads the answer to `GET {RUNTIME_URL}/calls/{attempt}` as reports are read that come by themselves, each alone: one
 * that cannot be read hides none of the others. Here nobody can be told to send it better, and an end that goes
 * unheard has its contact called again: a report is taken without those of its parts that cannot be read.
 *
 * @throws {Error} for what is no call state; JSON's own error would quote it, and it holds names and numbers
 */
export function readCallState(body: string): CallStateRead {
  const outline = Outline.safeParse(parse(body))
  if (!outline.success) throw new Error('the runtime told nothing that is a list of reports')
  const read = outline.data.reports.map(readReport)
  return {
    reports: read.flatMap(({ report }) => report ?? []),
    isComplete: read.every(({ report }) => report !== undefined),
    faults: read.flatMap(({ fields }, index) => fields.map((field) => `reports.${index}.${field}`)),
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body, storable)
  } catch {
    throw new Error('the runtime told something that is no JSON')
  }
}

function readReport(told: unknown): { report?: RuntimeReport; fields: string[] } {
  const { value, details } = clean(told)
  const whole = RuntimeReport.safeParse(value)
  const unfit = details.map(({ field }) => field.split('.')[0] ?? field)
  if (whole.success && unfit.length === 0) return { report: whole.data, fields: [] }
  const fields = [...new Set([...unfit, ...(whole.error?.issues ?? []).flatMap(fieldsOf)])]
  const replaced = RuntimeReport.safeParse(without(fields, value, instead))
  return { report: replaced.data ?? RuntimeReport.safeParse(without(fields, value, {})).data, fields }
}

const fieldsOf = (issue: z.core.$ZodIssue): string[] =>
  issue.path.length === 0 && issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')]

/** What an end says where its own word for it cannot be read. Who may have refused is not called again. */
const instead: Record<string, unknown> = {
  ended_reason: 'contact_hung_up',
  transcript: [],
  summary: 'Reached a voicemail.',
  do_not_call: true,
  analysis: null,
}

function without(fields: string[], report: unknown, substitutes: Record<string, unknown>): unknown {
  if (typeof report !== 'object' || report === null) return report
  const kept = Object.entries(report).filter(([name]) => !fields.includes(name))
  const replaced = Object.entries(substitutes).filter(([name]) => fields.includes(name))
  return Object.fromEntries([...kept, ...replaced])
}

/** No database keeps NUL or half of a character, in values or in names. */
function storable(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storableText(name), one]))
}
