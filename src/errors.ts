import type { ErrorCode, ErrorDetail, ErrorResponse } from '@outdial/contract'
import type { HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { zapierErrors } from './generated.ts'
import { nameToLabel } from './title-case.ts'
import { isObject } from './values.ts'

/** Codes for bad data in this run: the run stops, and the Zap stays on. */
const haltingCodes = new Set<ErrorCode>(['validation_failed', 'idempotency_key_reused'])

/** Returns the key of the input field for a path of the API, where the two differ. */
const toInputKey = (path: string): string =>
  inputKeys[path] ?? path.replace(/^filter\./, '').replaceAll('.', '_')

const inputKeys: Partial<Record<string, string>> = {
  external_id: 'external_reference',
  'filter.test': 'include_test_calls',
}

/** What an error should say about a request. */
export interface ErrorOptions {
  /** The fields whose values are sent. Errors use their labels. */
  inputFields?: readonly PlainInputField[]
  /** The values come from a run of the Zap, so invalid ones halt the run and leave the Zap on. */
  haltsOnInvalidData?: boolean
  /** What may have happened, and what to do, if Outdial's response is missing or can't be read. */
  ifUncertain?: string
}

/**
 * Creates the error that Zapier shows for an error response of the API: its message, the issue of each field, and the
 * request ID for support.
 */
export function toZapierError(z: ZObject, response: HttpResponse, options: ErrorOptions = {}): Error {
  const { inputFields = [], haltsOnInvalidData = false, ifUncertain } = options
  const error = apiError(response.data)
  const requestId = error?.request_id ?? response.getHeader('x-request-id')
  const withRequestId = (text: string) => (requestId ? `${text} (Request ID: ${requestId})` : text)
  const delay = retryAfterSeconds(response)
  const isTemporary =
    response.status === 429 ||
    (response.status === 503 && delay !== undefined) ||
    // Another run is sending the same request, and finishes in a moment.
    error?.code === 'idempotency_key_in_use'
  const sentence = error
    ? formatApiError(error, inputFields)
    : formatUnknownError(response.status, isTemporary ? '' : ifUncertain)

  if (isTemporary) {
    const reason = sentence.replace(/ Try again in .*/, '').trim()
    return new z.errors.ThrottledError(withRequestId(`${reason} Zapier will try this step again.`), delay)
  }
  const message = withRequestId(sentence)
  if (haltsOnInvalidData && error && haltingCodes.has(error.code)) {
    return withoutContext(new z.errors.HaltedError(message))
  }
  return new z.errors.Error(message, error?.code, response.status)
}

/** Creates the error for a value that a step can't use. The run stops, and the Zap stays on. */
export const invalidInput = (z: ZObject, message: string): Error =>
  withoutContext(new z.errors.HaltedError(message))

/** Creates the error for a successful response that isn't Outdial's, for example a proxy's page. */
export function unreadableResponse(
  z: ZObject,
  { status }: HttpResponse,
  ifUncertain = 'Try again in a few minutes. If this keeps happening, contact Outdial support.',
): Error {
  const message = `Outdial sent a response that can't be read (status ${status}). ${ifUncertain}`
  return new z.errors.Error(message, 'unreadable_response', status)
}

/** Keeps core from appending the run's requests and responses to the message. */
export const withoutContext = (error: Error): Error => Object.assign(error, { doNotContextify: true })

type ApiError = ErrorResponse['error']

/** Returns undefined for a response in another shape, for example a proxy's. */
export function apiError(data: unknown): ApiError | undefined {
  const error = isObject(data) ? (data as Partial<ErrorResponse>).error : undefined
  return typeof error?.message === 'string' && Array.isArray(error.details) && error.details.every(isDetail)
    ? error
    : undefined
}

const isDetail = (detail: unknown): boolean =>
  isObject(detail) && typeof detail.field === 'string' && typeof detail.message === 'string'

/** Returns what Zapier shows for a code if the API's sentence uses words that Zapier users don't see. */
const inZapier = (code: string | undefined): string | undefined =>
  Object.entries(zapierErrors).find(([key]) => key === code)?.[1]

/** Returns what the API says about a field, with the label that the user sees. */
export function formatIssue(
  { field, code, message }: ErrorDetail,
  inputFields: readonly PlainInputField[],
): string {
  const [, leftOut = '', reason = ''] = /^(Left out: )?(.*)$/s.exec(message) ?? []
  const shown = inZapier(code)
  if (shown !== undefined) return leftOut + shown
  // A call isn't a field of the step.
  if (field === 'call_id') return reason
  const label = findLabel(field, inputFields)
  const isSubject = reason.startsWith(`${field} `)
  return leftOut + (isSubject ? `${label}${reason.slice(field.length)}` : `${label}: ${reason}`)
}

/** Replaces the API's field names with the labels that the user sees. */
function formatApiError(
  { code, message, details }: ApiError,
  inputFields: readonly PlainInputField[],
): string {
  const reasons = details.map((detail) => formatIssue(detail, inputFields))
  const [first] = details
  const isRepeated = first !== undefined && message.startsWith(first.message)
  const sentence = inZapier(code) ?? message
  return (isRepeated ? reasons : [sentence, ...reasons]).join(' ')
}

/**
 * Finds the label of the input field that an API path refers to: `calling_hours.days.0` belongs to
 * `calling_hours_days`, and `variables.product` to `variables__product` if there is such a field. For a dictionary field,
 * adds the entry's key.
 */
function findLabel(path: string, inputFields: readonly PlainInputField[]): string {
  const exact = inputFields.find((inputField) => inputField.key === path.replaceAll('.', '__'))
  if (exact?.label) return exact.label
  const key = toInputKey(path)
  const field = inputFields.find(
    (inputField) => key === inputField.key || key.startsWith(`${inputField.key}_`),
  )
  const label = field?.label ?? nameToLabel(path)
  const entry = field?.dict ? path.slice(field.key.length + 1) : ''
  return entry === '' ? label : `${label} "${entry}"`
}

function formatUnknownError(
  status: number,
  ifUncertain = 'Try again in a few minutes. If this keeps happening, contact Outdial support.',
): string {
  if (status >= 500) return `Outdial is temporarily unavailable (status ${status}). ${ifUncertain}`
  if (status === 429) return 'Outdial is receiving too many requests.'
  return `Outdial rejected this request without giving a reason (status ${status}). Contact Outdial support.`
}

/** Returns the seconds in Retry-After, which is a number or a date. */
function retryAfterSeconds(response: HttpResponse): number | undefined {
  const value = response.getHeader('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  const seconds = Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(1, seconds)
}
