import type { ApiError } from '../../core/errors.ts'
import { EditConflictError } from '../changed-meanwhile.ts'

/** What a form shows besides its own values: what was typed, and what is wrong with it. */
export interface FormState {
  /** As sent: a field that was sent several times is a list. Empty before the first try. */
  submitted: Record<string, string | string[]>
  /** Whether it comes back because something was wrong. */
  isInvalid: boolean
  /** What is wrong beside no field of its own. */
  message: string | null
  /** Sentences by field. A field is named as the operations name it: `calling_hours.start`. */
  issues: Record<string, string>
  /** Which state of what it edits the person was shown; null for a form that edits nothing. */
  version: string | null
}

export const emptyForm: FormState = {
  submitted: {},
  isInvalid: false,
  message: null,
  issues: {},
  version: null,
}

/** Secrets are typed anew; what only the page itself needs is none of the form's. */
const omittedFields = /password|secret|private_key|google_account|^_/i

/** A form that an operation refused, with what was typed kept. */
export function invalidForm(raw: Record<string, unknown>, error: ApiError): FormState {
  const issues: Record<string, string> = {}
  for (const { field, message } of error.details) issues[field] ??= toFieldMessage(field, message)
  const submitted: FormState['submitted'] = {}
  for (const [name, value] of Object.entries(raw)) {
    if (omittedFields.test(name)) continue
    if (typeof value === 'string' || isStringArray(value)) submitted[name] = value
  }
  // A box that nobody ticked is not sent; nor is a field that the form does not have, beside which nothing would stand.
  const allShownBesideFields =
    Object.keys(issues).length > 0 && Object.keys(issues).every((field) => field in raw)
  const version = error instanceof EditConflictError ? error.version : raw._seen
  return {
    ...{ submitted, isInvalid: true, message: allShownBesideFields ? null : error.message, issues },
    version: typeof version === 'string' ? version : null,
  }
}

/** The API's sentences begin with the field's name; beside the field a person needs none. */
function toFieldMessage(field: string, message: string): string {
  if (!message.startsWith(`${field} `)) return message
  const rest = message.slice(field.length + 1)
  if (rest === 'is required.') return 'This is needed.'
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
