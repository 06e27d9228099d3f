import {
  detailTexts,
  type ErrorCode,
  type ErrorDetail,
  type ErrorResponse,
  errorTable,
  errorTexts,
  toErrorMessage,
} from '@outdial/contract'

interface ErrorOptions {
  details?: ErrorDetail[]
  headers?: Record<string, string>
  cause?: unknown
}

/** An error that the caller sees. Its code determines the status. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  /** @param message says what happened and what to do. By default, it's the catalog's. */
  constructor(
    code: ErrorCode,
    message: string = toErrorMessage(errorTexts[code]),
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.details = options.details ?? []
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

/** 422 about one field. Its code is listed in the contract's `detailTexts`. */
export const invalidField = (
  field: string,
  code: string,
  message: string,
  topCode: ErrorCode = 'validation_failed',
) => new ApiError(topCode, message, { details: [{ field, code, message }] })

/** Returns a 422 about one field, with the catalog's sentences. */
export const catalogFieldError = (
  field: string,
  code: keyof typeof detailTexts,
  topCode?: ErrorCode,
): ApiError => invalidField(field, code, toErrorMessage(detailTexts[code]), topCode)

/** 404, also for an object of another workspace, so that the response doesn't reveal that it exists. */
export const notFound = (message: string, field?: string) =>
  new ApiError('not_found', message, { details: field ? [{ field, code: 'not_found', message }] : [] })

/**
 * Rethrows a `not_found` about a field's value as a validation error, for `.catch()`: what the request itself is
 * about does exist.
 */
export function throwAsFieldError(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
  throw new ApiError('validation_failed', error.message, { details: error.details })
}

/**
 * Checks for an error. Errors of other realms fail `instanceof`, and some that Fastify creates lack the
 * `[object Error]` tag.
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
