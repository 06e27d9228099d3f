import { createHash } from 'node:crypto'
import {
  boundedText,
  consentKindLabels,
  ConsentRequired,
  consentRequiredTexts,
  type FieldText,
  QueryId,
  withText,
} from '@outdial/contract'
import * as z from 'zod'
import { countryCodes, nameCountry } from '../../platform/core/countries.ts'
import { type ApiError } from '../../platform/core/errors.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { canonicalJson } from '../../platform/core/text.ts'
import { withoutFieldName } from '../../platform/core/validate.ts'
import { formatPlural, languageName } from '../../platform/views/format.ts'
import { type FormModel, newForm, type PageForm } from '../../platform/views/forms.ts'

/** The state of a form after a submission: it shows the submitted values instead of the saved ones, and their issues. */
export interface FormState {
  /** Fields as submitted. A repeated field is a list. Empty before the first submission. */
  submitted: Record<string, string | string[]>
  /** True if the form is shown again because it couldn't be submitted. */
  isInvalid: boolean
  /** True if the form is shown again because the session had expired. The entered values may all be valid. */
  isRestored: boolean
  /** True if the form is shown again because someone else saved the edited data in the meantime. */
  isConflict: boolean
  /** An error that isn't about fields. */
  message: string | null
  /** Issue texts by field name. Names are the same as in operations: `calling_hours.start`. */
  issues: Record<string, string>
  /** The version of the edited data that the user saw; null for a form that doesn't edit anything. */
  version: string | null
}

export const emptyForm: FormState = {
  submitted: {},
  isInvalid: false,
  isRestored: false,
  isConflict: false,
  message: null,
  issues: {},
  version: null,
}

/** Back link and submit button of a form. */
export interface FormFrame {
  back: { path: string; label: string }
  submitLabel: string
}

/** The part of {@link FieldText} that a form field shows. */
export interface FormText {
  label: string
  hint: string | undefined
}

/** Converts field texts of the contract to labels and hints, which pages spread into form fields. */
export const toFormTexts = <Name extends string>(table: Record<Name, FieldText>): Record<Name, FormText> =>
  Object.fromEntries(
    Object.entries<FieldText>(table).map(([name, { label, form }]) => [name, { label, hint: form }]),
  ) as Record<Name, FormText>

/** Lists the kinds of consent that a campaign or a workspace can require. */
export const consentChoices = ConsentRequired.options.map((value) => ({
  value,
  label: consentRequiredTexts[value].label,
}))

/** Fields that aren't filled in again: secrets, and hidden fields of the page. */
const omittedFields = /password|secret|private_key|google_account|^_/i

/** Returns the state of a form after an error, with what was entered. */
export function invalidForm(raw: Record<string, unknown>, error: ApiError): FormState {
  const issues: Record<string, string> = {}
  for (const detail of error.details) {
    const [, list = ''] = /^(.+)\.[^.]+$/.exec(detail.field) ?? []
    // The issue is about one variable, or one entry of a list. The form has one field for all of them.
    if (!(detail.field in raw) && list in raw) issues[list] ??= detail.message
    else issues[detail.field.replace(/\.\d{1,4}$/, '')] ??= withoutFieldName(detail)
  }
  const version = error instanceof EditConflictError ? error.version : raw._seen
  return {
    ...{ submitted: listSubmitted(raw), isInvalid: true, isRestored: false, issues },
    isConflict: error instanceof EditConflictError,
    message: Object.keys(issues).length === 0 ? error.message : null,
    version: typeof version === 'string' ? version : null,
  }
}

/** Returns the text fields of a form that may be filled in again. */
export function listSubmitted(raw: Record<string, unknown>): FormState['submitted'] {
  const submitted: FormState['submitted'] = {}
  for (const [name, value] of Object.entries(raw)) {
    if (omittedFields.test(name)) continue
    if (typeof value === 'string' || isStringArray(value)) submitted[name] = value
  }
  return submitted
}

/** Returns the path that a form is sent to, without the query. */
export const toFormPath = (address: string): string => address.split('?')[0] ?? ''

/** Where a page's form is sent to, and which user opened the form. */
interface FormAddress {
  /** The path of the page, without the query. */
  path: string
  /** Returns a sealed text that names the user who opened the form that is sent to `path`; see `sealed-form.ts`. */
  sealAuthor: (path: string) => string
}

const publicAddress: FormAddress = { path: '', sealAuthor: () => '' }

/** Creates the form that is sent to the path of its page. */
export function createFormModel(
  state: FormState,
  csrf: string,
  { path, sealAuthor } = publicAddress,
): PageForm {
  const model = createOneForm(state, csrf, { idPrefix: 'f', sealAuthor: () => sealAuthor(path) })
  return {
    ...model,
    /** Returns a form that is sent to another path. It doesn't contain what was entered in the page's own form. */
    sentTo: (action) => {
      const actionPath = toFormPath(action)
      if (actionPath === path) return model
      // IDs have another prefix than in the page's own form, because the two forms can have a field with the same name.
      return createOneForm(emptyForm, csrf, { idPrefix: 'g', sealAuthor: () => sealAuthor(actionPath) })
    },
  }
}

function createOneForm(
  state: FormState,
  csrf: string,
  { idPrefix, sealAuthor }: { idPrefix: string; sealAuthor: () => string },
): FormModel {
  const shown = new Map<string, { id: string; label: string }>()
  const isFirstIssue = (name: string) => [...shown.keys()].find((one) => one in state.issues) === name
  return {
    ...state,
    ...newForm(csrf),
    sealAuthor,
    /**
     * Returns a field's values, either entered or `saved`, and the IDs of the texts that describe it. Call it once for each
     * field, in the order of the page: the first one with an issue gets the focus.
     */
    field: (name, saved, hint, label = name) => {
      const id = `${idPrefix}-${name.replace(/[^\w-]/g, '-')}`
      shown.set(name, { id, label })
      const values = [(state.isInvalid ? state.submitted[name] : saved) ?? []].flat()
      const issue = state.issues[name]
      const describedBy = [issue && `${id}-issue`, hint && `${id}-hint`].filter(Boolean).join(' ')
      return { id, values, value: values[0] ?? '', issue, describedBy, isFirstIssue: isFirstIssue(name) }
    },
    /** Lists the issues in the order of the page, for the summary above the form. Call it when the fields are rendered. */
    summarize: () => {
      const { issues } = state
      const atFields = [...shown].flatMap(([name, { id, label }]) =>
        issues[name] === undefined ? [] : [{ text: nameField(issues[name], label), target: id }],
      )
      const elsewhere = Object.entries(issues)
        .filter(([name]) => !shown.has(name))
        .map(([name, issue]) => ({ text: nameField(issue, name), target: null }))
      const items = [...atFields, ...elsewhere]
      return { title: formatPlural(items.length, 'field needs attention', 'fields need attention'), items }
    },
  }
}

/** Adds a field's label to its issue: “This field is required.” becomes “Phone number is required.” */
const nameField = (issue: string, label: string): string =>
  issue.startsWith('This field ') ? `${label}${issue.slice('This field'.length)}` : `${label}: ${issue}`

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Returns the fields of a form as submitted. */
export const getFormFields = ({ body }: { body: unknown }): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

/** Returns a field of a form without the spaces around it. Blank if it's missing, or a list. */
export function trimmedField(raw: Readonly<Record<string, unknown>>, name: string): string {
  const value = raw[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Hashes what a form edits, to detect changes without revealing the data. */
export const hashFormVersion = (values: unknown): string =>
  createHash('sha256').update(canonicalJson(values)).digest('base64url')

/** Thrown if someone else saved the data after the form was opened, because saving the form would silently undo that. */
export class EditConflictError extends FormError {
  /** The version that is overwritten if the user submits the form again. */
  readonly version: string

  constructor(version: string) {
    super(
      'validation_failed',
      'Someone else changed this after you opened it, so nothing was saved. Your changes are still in the form. ' +
        'Check their changes in another tab. If you save again, your version replaces theirs.',
    )
    this.version = version
  }
}

/** Maximum length of a field without another limit, in characters. Most operations have lower limits. */
const maxFieldLength = 20_000

/** Accepts the text of a field whose actual limit the operation checks. */
export const formText = boundedText(maxFieldLength)

/** Accepts the value of a field whose name isn't known in advance. */
export const anyField = (maxLength = maxFieldLength) =>
  z.custom<string | string[] | undefined>(
    (value) => [value ?? []].flat().every((part) => typeof part === 'string' && part.length <= maxLength),
    withText('too_long', { limit: `${maxLength} characters` }),
  )

/** The values of a group of checkboxes. A browser sends the field once for each checked box, and not at all if none is checked. */
export const StringList = z.preprocess((value) => [value ?? []].flat(), z.array(formText))

/** A page number in a query. Invalid values mean page 1. */
export const PageNumber = z.coerce.number().int().min(1).max(10_000).catch(1)

/** An ID in a query. Invalid values are ignored. */
export const OptionalId = QueryId.optional().catch(undefined)

/** Countries that have phone numbers, sorted by name. */
export const countries: readonly { value: string; label: string }[] = countryCodes
  .map((code) => ({ value: code, label: nameCountry(code) }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))

/** Kinds of consent to choose from. Blank is an unknown kind. */
export const consentKinds: readonly { value: string; label: string }[] = [
  { value: '', label: 'Unknown' },
  ...Object.entries(consentKindLabels).map(([value, label]) => ({ value, label })),
]

/** IANA time zone names. */
export const timeZones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** BCP 47 tags of the languages that an agent can speak. */
// prettier-ignore
const languageTags = [
  'en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-IE', 'es-ES', 'es-MX', 'es-US', 'fr-FR', 'fr-CA', 'de-DE',
  'de-AT', 'de-CH', 'it-IT', 'pt-BR', 'pt-PT', 'nl-NL', 'nl-BE', 'da-DK', 'sv-SE', 'nb-NO', 'fi-FI', 'pl-PL',
  'cs-CZ', 'sk-SK', 'hu-HU', 'ro-RO', 'bg-BG', 'el-GR', 'tr-TR', 'uk-UA', 'ru-RU', 'he-IL', 'ar-SA', 'ar-AE',
  'hi-IN', 'bn-IN', 'ta-IN', 'id-ID', 'ms-MY', 'th-TH', 'vi-VN', 'fil-PH', 'ja-JP', 'ko-KR', 'zh-CN', 'zh-TW',
]

/** Returns the languages to choose from, including the chosen one, sorted by name. */
export const languageChoices = (chosen: string): { value: string; label: string }[] =>
  [...new Set([...languageTags, chosen])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'))
