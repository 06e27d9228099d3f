import {
  allDetailTexts,
  allErrorTexts,
  type CatalogMessage,
  codeOf,
  type DetailKey,
  type ErrorCode,
  type ErrorDetail,
  type ErrorResponse,
  errorTable,
  type ErrorValues,
  toErrorMessage,
} from '@outdial/contract'

type ErrorTextKey = keyof typeof allErrorTexts
/** A catalog key whose code is an API error code. */
export type ErrorKey = Extract<ErrorTextKey, ErrorCode | `${ErrorCode}.${string}`>

/** An issue with one field. It has a message from the contract's catalog of texts. */
export type FieldIssue = ErrorDetail & { message: CatalogMessage }

export interface ErrorOptions {
  /** Values for the placeholders of the text. */
  values?: ErrorValues
  /** Issues with single fields. Their messages become the error's message. */
  details?: FieldIssue[]
  /**
   * The error's message. By default, it joins the messages of the details. Without details, it's the catalog's text of the
   * key.
   */
  message?: CatalogMessage
  headers?: Record<string, string>
  cause?: unknown
}

/** An error that the caller sees. Its message is from the contract's catalog, and its code determines the HTTP status. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  constructor(key: ErrorKey, options: ErrorOptions = {}) {
    super(formatMessage(key, options), { cause: options.cause })
    this.code = codeOf(key)
    this.details = (options.details ?? []).slice(0, maxDetails)
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return errorTable[this.code].status
  }

  toResponse(requestId: string): ErrorResponse {
    const { type } = errorTable[this.code]
    return {
      error: { type, code: this.code, message: this.message, details: this.details, request_id: requestId },
    }
  }
}

/**
 * Maximum number of details in a response. Without this limit, a body with a million issues would get an even larger
 * response.
 */
const maxDetails = 50

export function formatMessage(key: ErrorTextKey, { values, details = [], message }: ErrorOptions): string {
  return (
    message ?? (details.length > 0 ? summarizeIssues(details) : toErrorMessage(allErrorTexts[key], values))
  )
}

/** Joins the first three messages, because automation platforms show only an error's message, not its details. */
function summarizeIssues(details: ErrorDetail[]): string {
  const shown = details.slice(0, 3).map((detail) => detail.message)
  const more = details.length - shown.length
  return [...shown, ...(more > 0 ? [`And ${more} more ${more === 1 ? 'issue' : 'issues'}.`] : [])].join(' ')
}

/** Returns an issue with a field, or with the request body if `field` is empty. */
export const fieldIssue = (field: string, key: DetailKey, values: ErrorValues = {}): FieldIssue => ({
  field,
  code: codeOf(key),
  message: toErrorMessage(allDetailTexts[key], { field: field || 'The request body', ...values }),
})

/**
 * Returns an error about one field. It has the code of the field's issue, or validation_failed if that code is only for
 * fields.
 */
export function fieldError(field: string, key: DetailKey, values?: ErrorValues): ApiError {
  const code = codeOf(key)
  return new ApiError(code in errorTable ? (code as ErrorCode) : 'validation_failed', {
    details: [fieldIssue(field, key, values)],
  })
}

/** Returns a 404, also for an object of another workspace, so that the response doesn't reveal that the object exists. */
export const notFound = (object: 'call' | 'campaign' | 'contact' | 'phone number' | 'webhook subscription') =>
  new ApiError('not_found.object', { values: { object } })

/**
 * Rethrows a `not_found` error about a field's value as a validation error: a 404 would say that the request's own
 * object doesn't exist. Pass this function to `.catch()`.
 */
export function throwAsFieldError(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'not_found' || error.details.length === 0) throw error
  throw new ApiError('validation_failed', { details: error.details as FieldIssue[] })
}

/**
 * Returns true for an error. `instanceof` alone fails for errors of other realms, and some errors that Fastify creates lack
 * the `[object Error]` tag.
 */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'

/** Returns the `code` of an error of Node or PostgreSQL, such as ENOENT or 57P03, or '' if it has none. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** An error in the log. */
interface ErrorDescription {
  name: string
  message: string
  code?: string
  constraint?: string
  stack?: string
  cause?: ErrorDescription
}

/**
 * Describes an error for the log. PostgreSQL's messages and details quote values such as phone numbers, so its errors
 * are logged with only the code, the constraint, and the stack frames.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!isError(error)) return { name: typeof error, message: 'thrown, but not an Error' }
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  const isDatabaseError = 'severity' in error && 'routine' in error
  return {
    name: error.name,
    message: isDatabaseError ? 'rejected by the database' : error.message,
    ...('code' in error && { code: String(error.code) }),
    ...('constraint' in error && typeof error.constraint === 'string' && { constraint: error.constraint }),
    ...(frames && { stack: frames.join('\n') }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}

/** The service can't start, or a command can't run. The message is for the person who started it. */
export class StartupError extends Error {
  override name = 'StartupError'
}

/** A setting isn't valid. The message names the variable and says what to set. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
