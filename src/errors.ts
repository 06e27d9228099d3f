import type { ErrorCode, ErrorResponse } from '@outdial/contract'
import type { HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { titleCase } from './title-case.ts'

/** Codes that say that this run's own data is at fault: it stops, and the Zap stays on. */
const haltingCodes = new Set<ErrorCode>(['validation_failed', 'idempotency_key_reused'])

/** Codes after which the same request succeeds a moment later. */
const throttlingCodes = new Set<ErrorCode>(['rate_limited', 'idempotency_key_in_use'])

/**
 * The error that Zapier shows for a failed answer of the API: its own sentence, what is wrong with which
 * field, and the request id that support asks for.
 *
 * @param inputFields of an action: its data comes from the user, so bad data halts the run
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

/** Core writes the run's requests and answers behind the message of some errors: the sentence is enough. */
export const withoutContext = (error: Error): Error => Object.assign(error, { doNotContextify: true })

type ApiError = ErrorResponse['error']

/** A proxy in between answers in other shapes. */
function apiError(data: unknown): ApiError | undefined {
  const { error } = (data ?? {}) as Partial<ErrorResponse>
  return typeof error?.message === 'string' && Array.isArray(error.details) ? error : undefined
}

/** The API calls fields by its own names, the user knows them by their labels. */
function formatApiError({ message, details }: ApiError, inputFields: PlainInputField[]): string {
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
  const key = path.replaceAll('.', '_')
  const [field] = inputFields
    .filter((inputField) => key === inputField.key || key.startsWith(`${inputField.key}_`))
    .toSorted((a, b) => b.key.length - a.key.length)
  const label = field?.label ?? titleCase(path)
  const entry = field?.dict ? path.slice(field.key.length + 1) : ''
  return entry === '' ? label : `${label} "${entry}"`
}

function formatUnknownError(status: number): string {
  if (status >= 500)
    return `Outdial has a problem of its own at the moment (status ${status}). Try again later.`
  return `Outdial refused this without saying why (status ${status}).`
}

function retryAfterSeconds(response: HttpResponse): number | undefined {
  const seconds = Number.parseInt(response.getHeader('retry-after') ?? '', 10)
  return Number.isNaN(seconds) ? undefined : seconds
}
