import type { ErrorCode, ErrorResponse } from '@outdial/contract'
import type { HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { nameToLabel } from './title-case.ts'

/** Codes for bad data in this run: the run stops, and the Zap stays on. */
const haltingCodes = new Set<ErrorCode>(['validation_failed', 'idempotency_key_reused'])

/** Codes after which the same request can succeed a moment later. */
const throttlingCodes = new Set<ErrorCode>(['rate_limited', 'idempotency_key_in_use'])

/** What to say where the API's own sentence uses a name that the form doesn't have. */
const formSentences: Partial<Record<ErrorCode, string>> = {
  idempotency_key_reused:
    'This Deduplication Key was already used in the last 24 hours with different data. Use a different key for each call.',
  idempotency_key_in_use:
    'Another run with this Deduplication Key is in progress. Zapier will try this step again.',
}

/** Input fields whose key isn't the name of the API's field. */
const inputKeys: Partial<Record<string, string>> = { external_id: 'external_reference' }

/**
 * Creates the error that Zapier shows for an error response of the API: its sentence, the issue of each field, and the
 * request ID that support asks for.
 *
 * @param inputFields of an action. Their values come from the user, so bad data halts the run.
 */
export function toZapierError(z: ZObject, response: HttpResponse, inputFields?: PlainInputField[]): Error {
  const error = apiError(response.data)
  const requestId = error?.request_id ?? response.getHeader('x-request-id')
  const sentence = error ? formatApiError(error, inputFields ?? []) : formatUnknownError(response.status)
  const message = requestId ? `${sentence} (Request ID: ${requestId})` : sentence

  if (response.status === 429 || (error && throttlingCodes.has(error.code))) {
    return new z.errors.ThrottledError(message, retryAfterSeconds(response))
  }
  if (inputFields && error && haltingCodes.has(error.code)) {
    return withoutContext(new z.errors.HaltedError(message))
  }
  return new z.errors.Error(message, error?.code, response.status)
}

/** Keeps core from appending the run's requests and responses to the message. */
export const withoutContext = (error: Error): Error => Object.assign(error, { doNotContextify: true })

type ApiError = ErrorResponse['error']

/** Returns undefined for a response in another shape, for example a proxy's. */
function apiError(data: unknown): ApiError | undefined {
  const { error } = (data ?? {}) as Partial<ErrorResponse>
  return typeof error?.message === 'string' && Array.isArray(error.details) ? error : undefined
}

/** Replaces the API's field names with the labels that the user sees. */
function formatApiError({ code, message, details }: ApiError, inputFields: PlainInputField[]): string {
  const formSentence = formSentences[code]
  if (formSentence !== undefined) return formSentence
  const reasons = details.map(({ field, message: reason }) => {
    const label = findLabel(field, inputFields)
    return reason.startsWith(`${field} `) ? `${label}${reason.slice(field.length)}` : `${label}: ${reason}`
  })
  const [first] = details
  const isRepeated = first !== undefined && message.startsWith(first.message)
  return (isRepeated ? reasons : [message, ...reasons]).join(' ')
}

/**
 * Finds the label of the input field that an API path refers to: `calling_hours.days.0` belongs to
 * `calling_hours_days`. For a dictionary field, adds the entry's key.
 */
function findLabel(path: string, inputFields: PlainInputField[]): string {
  const key = inputKeys[path] ?? path.replaceAll('.', '_')
  const [field] = inputFields
    .filter((inputField) => key === inputField.key || key.startsWith(`${inputField.key}_`))
    .toSorted((a, b) => b.key.length - a.key.length)
  const label = field?.label ?? nameToLabel(path)
  const entry = field?.dict ? path.slice(field.key.length + 1) : ''
  return entry === '' ? label : `${label} "${entry}"`
}

function formatUnknownError(status: number): string {
  if (status >= 500)
    return `Outdial is temporarily unavailable (status ${status}). Try again in a few minutes. If it keeps happening, contact Outdial support.`
  if (status === 429) return 'Outdial is receiving too many requests. Zapier will try this step again.'
  return `Outdial rejected this request without a reason (status ${status}). Contact Outdial support.`
}

function retryAfterSeconds(response: HttpResponse): number | undefined {
  const seconds = Number.parseInt(response.getHeader('retry-after') ?? '', 10)
  return Number.isNaN(seconds) ? undefined : seconds
}
