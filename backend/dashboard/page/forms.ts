import { createHash, randomUUID } from 'node:crypto'
import { type ErrorDetail, type FieldText, QueryId } from '@outdial/contract'
import { getCountries } from 'libphonenumber-js/max'
import * as z from 'zod'
import { ApiError } from '../../core/errors.ts'
import { canonicalJson } from '../../core/text.ts'
import { withoutFieldName } from '../../core/validate.ts'

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

/** Around the fields of a form that creates something, or edits it. */
export interface FormFrame {
  back: { path: string; label: string }
  submitLabel: string
}

/** What a field's component shows of {@link FieldText}. */
export interface FormText {
  label: string
  hint: string | undefined
}

/** Returns the labels and help texts of a table of the contract, to be spread into the fields of a form. */
export const toFormTexts = <Name extends string>(table: Record<Name, FieldText>): Record<Name, FormText> =>
  Object.fromEntries(
    Object.entries<FieldText>(table).map(([name, { label, form }]) => [name, { label, hint: form }]),
  ) as Record<Name, FormText>

/** Secrets have to be entered again. Fields that only the page itself needs aren't part of the form. */
const omittedFields = /password|secret|private_key|google_account|^_/i

/** A form that an operation refused, with what was typed kept. */
export function invalidForm(raw: Record<string, unknown>, error: ApiError): FormState {
  const issues: Record<string, string> = {}
  for (const detail of error.details) issues[detail.field] ??= toFieldMessage(detail)
  const submitted: FormState['submitted'] = {}
  for (const [name, value] of Object.entries(raw)) {
    if (omittedFields.test(name)) continue
    if (typeof value === 'string' || isStringArray(value)) submitted[name] = value
  }
  // A box that nobody ticked is not sent; nor is a field that the form does not have, beside which nothing would stand.
  const allShownAtFields =
    Object.keys(issues).length > 0 && Object.keys(issues).every((field) => field in raw)
  const version = error instanceof EditConflictError ? error.version : raw._seen
  return {
    ...{ submitted, isInvalid: true, message: allShownAtFields ? null : error.message, issues },
    version: typeof version === 'string' ? version : null,
  }
}

/** What templates are given of a form. */
export const createFormModel = (state: FormState, csrf: string) => ({
  ...state,
  csrf,
  once: randomUUID(),
  /** Returns what a field shows: what was typed, else `saved`, and the IDs of the texts that describe it. */
  field: (name: string, saved?: unknown, hint?: string) => {
    const id = `f-${name.replace(/[^\w-]/g, '-')}`
    const values: unknown[] = [(state.isInvalid ? state.submitted[name] : saved) ?? []].flat()
    const issue = state.issues[name]
    const describedBy = [hint && `${id}-hint`, issue && `${id}-problem`].filter(Boolean).join(' ')
    return { id, values, value: values[0] ?? '', issue, describedBy }
  },
})

const toFieldMessage = (detail: ErrorDetail): string =>
  detail.message === `${detail.field} is required.` ? 'This is needed.' : withoutFieldName(detail)

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Returns the fields of a form, as they were sent. */
export const getFormFields = ({ body }: { body: unknown }): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

/** Tells one state of what a form edits from another, without showing it. */
export const hashFormVersion = (values: unknown): string =>
  createHash('sha256').update(canonicalJson(values)).digest('base64url')

/** Somebody else saved what a form edits after it was opened: to save it now would undo that without a word. */
export class EditConflictError extends ApiError {
  /** The state that is to be overwritten if the person sends the form again. */
  readonly version: string

  constructor(version: string) {
    super(
      'validation_failed',
      'Somebody else changed this after you opened it, and nothing was saved. What you typed is still here: look at ' +
        'their changes in another tab, then save again, which writes yours over theirs.',
    )
    this.version = version
  }
}

/** A field that may be sent several times, or not at all: boxes that are ticked. */
export const StringList = z.preprocess((value) => [value ?? []].flat(), z.array(z.string()))

/** The page of a list in an address. Whatever else is typed there is the first one. */
export const PageNumber = z.coerce.number().int().min(1).max(10_000).catch(1)

/** An id in an address. Whatever else is typed there is none. */
export const OptionalId = QueryId.optional().catch(undefined)

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** Countries with phone numbers, by name, for lists to choose from. */
export const countries: readonly { value: string; label: string }[] = getCountries()
  .map((code) => ({ value: code, label: countryNames.of(code) ?? code }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))

/** Names of the IANA time zone database, for lists to choose from. */
export const timeZones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** Languages that an agent can be given, by BCP 47 tag. */
// prettier-ignore
const languageTags = [
  'en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-IE', 'es-ES', 'es-MX', 'es-US', 'fr-FR', 'fr-CA', 'de-DE',
  'de-AT', 'de-CH', 'it-IT', 'pt-BR', 'pt-PT', 'nl-NL', 'nl-BE', 'da-DK', 'sv-SE', 'nb-NO', 'fi-FI', 'pl-PL',
  'cs-CZ', 'sk-SK', 'hu-HU', 'ro-RO', 'bg-BG', 'el-GR', 'tr-TR', 'uk-UA', 'ru-RU', 'he-IL', 'ar-SA', 'ar-AE',
  'hi-IN', 'bn-IN', 'ta-IN', 'id-ID', 'ms-MY', 'th-TH', 'vi-VN', 'fil-PH', 'ja-JP', 'ko-KR', 'zh-CN', 'zh-TW',
]

const languageNames = new Intl.DisplayNames('en-US', { type: 'language', languageDisplay: 'standard' })

/** "German (Austria)"; the tag itself where nobody knows a name. */
export function languageName(tag: string): string {
  try {
    return languageNames.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** The choices of a form, with the one that is chosen, by name. */
export const languageChoices = (chosen: string): { value: string; label: string }[] =>
  [...new Set([...languageTags, chosen])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'))
