import type { ApiError } from '../../core/errors.ts'
import { ChangedMeanwhile } from '../changed-meanwhile.ts'

/** What a form shows besides its own values: what was typed, and what is wrong with it. */
export interface FormState {
  /** As sent: a field that was sent several times is a list. Empty before the first try. */
  typed: Record<string, string | string[]>
  /** Whether it comes back because something was wrong. */
  isRefused: boolean
  /** What is wrong beside no field of its own. */
  message: string | null
  /** Sentences by field. A field is named as the operations name it: `calling_hours.start`. */
  problems: Record<string, string>
  /** Which state of what it edits the person was shown; null for a form that edits nothing. */
  seen: string | null
}

export const untouched: FormState = { typed: {}, isRefused: false, message: null, problems: {}, seen: null }

/** Secrets are typed anew; what only the page itself needs is none of the form's. */
const never = /password|secret|private_key|google_account|^_/i

/** A form that an operation refused, with what was typed kept. */
export function refusedForm(raw: Record<string, unknown>, error: ApiError): FormState {
  const problems: Record<string, string> = {}
  for (const { field, message } of error.details) problems[field] ??= inWords(field, message)
  const typed: FormState['typed'] = {}
  for (const [name, value] of Object.entries(raw)) {
    if (never.test(name)) continue
    if (typeof value === 'string' || isTexts(value)) typed[name] = value
  }
  // A box that nobody ticked is not sent; nor is a field that the form does not have, beside which nothing would stand.
  const stand = Object.keys(problems).length > 0 && Object.keys(problems).every((field) => field in raw)
  const seen = error instanceof ChangedMeanwhile ? error.seen : raw._seen
  return {
    ...{ typed, isRefused: true, message: stand ? null : error.message, problems },
    seen: typeof seen === 'string' ? seen : null,
  }
}

/** The API's sentences begin with the field's name; beside the field a person needs none. */
function inWords(field: string, message: string): string {
  if (!message.startsWith(`${field} `)) return message
  const rest = message.slice(field.length + 1)
  if (rest === 'is required.') return 'This is needed.'
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
