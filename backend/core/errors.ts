import { type ErrorResponse, type ErrorCode, type ErrorDetail, errorTable } from '@outdial/contract'

/** An error that the caller is told, with the status that the contract's table gives its code. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  /** `message` is one sentence that a no-code user understands. */
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

/** 422 about one field. */
export const invalidField = (
  field: string,
  code: string,
  message: string,
  topCode: ErrorCode = 'validation_failed',
) => new ApiError(topCode, message, { details: [{ field, code, message }] })

/** 404, also for what belongs to another workspace: its existence is not told. */
export const notFound = (message: string, field?: string) =>
  new ApiError('not_found', message, { details: field ? [{ field, code: 'not_found', message }] : [] })
