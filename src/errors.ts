import type { ErrorDetail, ErrorResponse } from '@outdial/contract'
import type { Bundle, HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { zapierErrors } from './generated.ts'
import { nameToLabel } from './title-case.ts'
import { isObject } from './values.ts'

/**
 * The fields with a lead's own data whose bad values halt the run, because the Zap needs no correction. (Outdial can leave out
 * the lead's other data, such as a bad email, and still queue the call.) A bad value of any other field fails the run, so that
 * Zapier reports it.
 */
export const leadFields: ReadonlySet<string> = new Set([
  'phone_number',
  'country',
  'first_name',
  'last_name',
  'external_reference',
  'time_zone',
  'variables',
])

/** Codes that mean a mistake in the Zap, even for a lead's own data. */
const mistakes = new Set(['required', 'invalid_type', 'invalid_key', 'unknown_field'])

/** Codes that don't mean a mistake in the Zap, whichever field they're about. */
const states = new Set(['too_far_ahead', 'skipped_time', 'too_many_callback_urls'])

/** Returns true for a field with a lead's own data. A step without a phone number isn't about a lead. */
export const isLeadField = (key: string, inputFields: readonly PlainInputField[]): boolean =>
  leadFields.has(key.split('__', 1)[0] ?? '') && inputFields.some((field) => field.key === 'phone_number')

/** Converts a field's path in the API to the key of its input field. */
const toInputKey = (path: string): string =>
  inputKeys[path] ?? path.replace(/^filter\./, '').replaceAll('.', '_')

const inputKeys: Partial<Record<string, string>> = {
  external_id: 'external_reference',
  'filter.test': 'include_test_calls',
}

/** The options for the errors of a request, and for what Zapier does then. */
export interface ErrorOptions {
  /** The fields whose values are sent. Errors use their labels. */
  inputFields?: readonly PlainInputField[]
  /** True if a lead's bad data halts the run. Otherwise, it fails the run. */
  haltsOnInvalidData?: boolean
  /** The advice for a response of Outdial that's missing or can't be read: what may have happened, and what to do. */
  ifUncertain?: string
  /** True if sending the request twice does the same as sending it once. A GET is always idempotent. */
  isIdempotent?: boolean
  /** True if an uncertain result halts the run. If it failed the run, Zapier could replay it, and queue another call. */
  haltsIfUncertain?: boolean
}

/** The problem, and what to do unless Zapier runs the step again. */
interface Problem {
  reason: string
  advice: string
  code?: string | undefined
  status?: number
  requestId?: string | undefined
}

/** Maps a temporary error to the error that a step throws in its place. */
const throttledErrors = new WeakMap<Error, Error>()

interface Step {
  operation: { perform: (z: ZObject, bundle: Bundle) => Promise<unknown> }
}

/**
 * Returns a step that Zapier runs again after a temporary error. Zapier runs nothing else again: dropdowns,
 * subscriptions, the test of the connection, and the test of a step in the Zap editor show the error.
 */
export const retriedByZapier = <Retried extends Step>(step: Retried): Retried => ({
  ...step,
  operation: {
    ...step.operation,
    perform: (z: ZObject, bundle: Bundle) =>
      step.operation.perform(z, bundle).catch((error: unknown) => {
        throw (bundle.meta.isLoadingSample ? undefined : throttledErrors.get(error as Error)) ?? error
      }),
  },
})

function temporaryError(z: ZObject, problem: Problem, delay?: number): Error {
  const error = failure(z, problem)
  const message = toMessage(`${problem.reason} Zapier will try this step again.`, problem.requestId)
  throttledErrors.set(error, new z.errors.ThrottledError(message, delay))
  return error
}

const failure = (z: ZObject, { reason, advice, code, status, requestId }: Problem): Error =>
  new z.errors.Error(toMessage(`${reason} ${advice}`, requestId), code, status)

/** Creates the error for a request that Outdial may have received, although the response is missing. */
export function uncertainError(z: ZObject, problem: Problem, options: ErrorOptions): Error {
  const { ifUncertain = problem.advice, isIdempotent, haltsIfUncertain } = options
  // The delay is random, because many runs can fail at the same moment.
  if (isIdempotent)
    return temporaryError(z, { ...problem, advice: ifUncertain }, 60 + Math.round(Math.random() * 60))
  if (haltsIfUncertain)
    return invalidInput(z, toMessage(`${problem.reason} ${ifUncertain}`, problem.requestId))
  return failure(z, { ...problem, advice: ifUncertain })
}

/**
 * Creates the error that Zapier shows for an error response of the API: its message, its validation issues, and the
 * request ID for support.
 */
export function toZapierError(z: ZObject, response: HttpResponse, options: ErrorOptions = {}): Error {
  const { inputFields = [], haltsOnInvalidData, isIdempotent, ifUncertain } = options
  const { status } = response
  const error = apiError(response.data)
  const code = error?.code
  const requestId = error?.request_id ?? response.getHeader('x-request-id')
  const sentence = error ? formatApiError(error, inputFields) : formatUnknownError(status)
  const [reason = '', advice = ''] = sentence.split(/ (?=Try again)/, 2)
  const problem = { reason, advice, code, status, requestId }
  const delay = retryAfterSeconds(response)

  // If the key is in use, another run is sending a request with it, and finishes in a moment.
  if (status === 429 || (status === 503 && delay !== undefined) || code === 'idempotency_key_in_use')
    return temporaryError(z, problem, delay)
  if (status >= 500) {
    const isFromGateway = status >= 502 && status <= 504
    return uncertainError(z, problem, isFromGateway || !isIdempotent ? options : { ifUncertain })
  }
  const message = toMessage(sentence, requestId)
  if (haltsOnInvalidData && error && isAboutLead(error, inputFields)) return invalidInput(z, message)
  return new z.errors.Error(message, code, status)
}

/** Creates the error for data that can't be corrected in the Zap. The run stops, and Zapier doesn't report it. */
export const invalidInput = (z: ZObject, message: string): Error =>
  withoutContext(new z.errors.HaltedError(toMessage(message)))

/** Creates the error for a mistake in the Zap. Zapier reports it to the Zap's owner. */
export const mistake = (z: ZObject, message: string): Error =>
  new z.errors.Error(toMessage(message), 'invalid_input')

/** Creates the error for a successful response that isn't Outdial's, for example a proxy's page. */
export function unreadableResponse(z: ZObject, { status }: HttpResponse, options: ErrorOptions = {}): Error {
  const reason = `Outdial sent a response that can't be read (status ${status}).`
  const problem = { reason, advice: `${tryAgain} ${orContact}`, code: 'unreadable_response', status }
  return uncertainError(z, problem, { ...options, isIdempotent: false })
}

export const tryAgain = 'Try again in a few minutes.'
const orContact = 'If this keeps happening, contact Outdial support.'

/** Maximum length of a message. Zapier shows 250 characters. */
const maxLength = 249

/** Adds the request ID for support, and shortens the text to make room for it. */
function toMessage(text: string, requestId?: string | null): string {
  const suffix = requestId ? ` (Request ID: ${requestId})` : ''
  const shown = text.trim()
  const length = maxLength - suffix.length
  if (shown.length <= length) return shown + suffix
  const start = shown.slice(0, length - 1)
  const end = start.lastIndexOf('. ') + 1
  return (end > 0 ? start.slice(0, end) : `${start}…`) + suffix
}

/** Keeps core from appending the run's requests and responses to the message. */
export const withoutContext = (error: Error): Error => Object.assign(error, { doNotContextify: true })

type ApiError = ErrorResponse['error']

/** Returns true if no issue of the error is a mistake in the Zap. Otherwise, Zapier reports the error to the Zap's owner. */
function isAboutLead({ code, details }: ApiError, inputFields: readonly PlainInputField[]): boolean {
  if (code === 'idempotency_key_reused') return true
  const isData = ({ field, code: reason }: ApiError['details'][number]) =>
    states.has(reason) ||
    (!mistakes.has(reason) && isLeadField(findField(field, inputFields)?.key ?? '', inputFields))
  return code === 'validation_failed' && details.length > 0 && details.every(isData)
}

/** Returns the API's error in a response. Returns undefined for a response in another shape, for example a proxy's. */
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
  // Has no label, because a call isn't a field of the step.
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
 * Finds the input field that an API path refers to: `calling_hours.days.0` belongs to `calling_hours_days`, and
 * `variables.product` to `variables__product` if there is such a field.
 */
function findField(path: string, inputFields: readonly PlainInputField[]): PlainInputField | undefined {
  const key = toInputKey(path)
  return (
    inputFields.find((inputField) => inputField.key === path.replaceAll('.', '__')) ??
    inputFields.find((inputField) => key === inputField.key || key.startsWith(`${inputField.key}_`))
  )
}

/** Returns the label of the input field that an API path refers to. For a dictionary field, adds the entry's key. */
function findLabel(path: string, inputFields: readonly PlainInputField[]): string {
  const field = findField(path, inputFields)
  const label = field?.label ?? nameToLabel(path)
  const entry = field?.dict ? toInputKey(path).slice(field.key.length + 1) : ''
  return entry === '' ? label : `${label} "${entry}"`
}

function formatUnknownError(status: number): string {
  if (status >= 500) return `Outdial is temporarily unavailable (status ${status}). ${tryAgain} ${orContact}`
  if (status === 429) return `Outdial is receiving too many requests. ${tryAgain}`
  return `Outdial rejected this request without giving a reason (status ${status}). Contact Outdial support.`
}

/** Maximum delay before a step runs again, because a proxy can ask for any. After an hour, a lead is cold. */
const maxRetrySeconds = 3_600

/** Returns the seconds in Retry-After, which is a number or a date. */
function retryAfterSeconds(response: HttpResponse): number | undefined {
  const value = response.getHeader('retry-after') ?? ''
  const isNumber = /^\d+$/.test(value)
  const seconds = isNumber ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  if (Number.isNaN(seconds)) return undefined
  return Math.min(isNumber ? seconds : Math.max(1, seconds), maxRetrySeconds)
}
