import type { ErrorCode, ErrorResponse } from '@outdial/contract'
import type { HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { zapierErrors } from './generated.ts'
import { nameToLabel } from './title-case.ts'

/** Codes for bad data in this run: the run stops, and the Zap stays on. */
const haltingCodes = new Set<ErrorCode>(['validation_failed', 'idempotency_key_reused'])

/** Codes after which the same request can succeed a moment later. */
const throttlingCodes = new Set<ErrorCode>(['rate_limited', 'idempotency_key_in_use'])

/** Input fields whose key isn't the name of the API's field. */
const inputKeys: Partial<Record<string, string>> = { external_id: 'external_reference' }

/**
 * Creates the error that Zapier shows for an error response of the API: its message, the issue of each field, and the
 * request ID for support.
 *
 * @param inputFields of an action. Their values come from the user, so bad data halts the run.
 */
export function toZapierError(z: ZObject, response: HttpResponse, inputFields?: PlainInputField[]): Error {
  const error = apiError(response.data)
  const requestId = error?.request_id ?? response.getHeader('x-request-id')
  const sentence = error ? formatApiError(error, inputFields ?? []) : formatUnknownError(response.status)
  const withRequestId = (text: string) => (requestId ? `${text} (Request ID: ${requestId})` : text)

  if (response.status === 429 || (error && throttlingCodes.has(error.code))) {
    const reason = sentence.replace(/ Try again in .*/, '')
    const message = withRequestId(`${reason} Zapier will try this step again.`)
    return new z.errors.ThrottledError(message, retryAfterSeconds(response))
  }
  const message = withRequestId(sentence)
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

/** Returns what Zapier shows for a code if the API's sentence uses words that Zapier users don't see. */
const inZapier = (code: string | undefined): string | undefined =>
  Object.entries(zapierErrors).find(([key]) => key === code)?.[1]

/** Replaces the API's field names with the labels that the user sees. */
function formatApiError({ code, message, details }: ApiError, inputFields: PlainInputField[]): string {
  const reasons = details.map(({ field, code: reasonCode, message: reason }) => {
    const shown = inZapier(reasonCode)
    if (shown !== undefined) return shown
    const label = findLabel(field, inputFields)
    return reason.startsWith(`${field} `) ? `${label}${reason.slice(field.length)}` : `${label}: ${reason}`
  })
  const [first] = details
  const isRepeated = first !== undefined && message.startsWith(first.message)
  const sentence = inZapier(code) ?? message
  return (isRepeated ? reasons : [sentence, ...reasons]).join(' ')
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
    return `Outdial is temporarily unavailable (status ${status}). Try again in a few minutes. If this keeps happening, contact Outdial support.`
  if (status === 429) return 'Outdial is receiving too many requests.'
  return `Outdial rejected this request without giving a reason (status ${status}). Contact Outdial support.`
}

function retryAfterSeconds(response: HttpResponse): number | undefined {
  const seconds = Number.parseInt(response.getHeader('retry-after') ?? '', 10)
  return Number.isNaN(seconds) ? undefined : seconds
}
