import { type ErrorCode, type ErrorDetail, type ErrorResponse, errorTable } from '@outdial/contract'

/** An error that the caller sees, with the status that the contract's table gives its code. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  /** @param message says what happened and what to do, so that a Zap builder who sees nothing else can act */
  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
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
 * Errors of other realms fail `instanceof`, and those that the framework makes by hand have no tag of their
 * own.
 */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'

/** The `code` of an error of Node or PostgreSQL, such as ENOENT or 57P03; '' where it has none. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** What the log tells of an error. */
interface ErrorDescription {
  name: string
  message: string
  code?: string
  constraint?: string
  stack?: string
  cause?: ErrorDescription
}

/**
 * Describes an error for the log. PostgreSQL quotes the offending values (phone numbers) in its
 * messages and details: of those errors only the state, the constraint and the frames are told.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!isError(error)) return { name: typeof error, message: 'thrown, but not an Error' }
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  const isDatabaseError = 'severity' in error && 'routine' in error
  return {
    name: error.name,
    message: isDatabaseError ? 'refused by the database' : error.message,
    ...('code' in error && { code: String(error.code) }),
    ...('constraint' in error && typeof error.constraint === 'string' && { constraint: error.constraint }),
    ...(frames && { stack: frames.join('\n') }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}

/** Why the service cannot start, or a command cannot run, in a sentence for the person who started it. */
export class StartupError extends Error {
  override name = 'StartupError'
}

/** A setting that cannot be used. Its message names the variable and says what to set. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
