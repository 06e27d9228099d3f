import { type ErrorDetail, type ToolServerErrorCode, toolServerErrorTable } from '@outdial/contract'

/** An error of the tool server, which has codes and statuses that the API doesn't. */
export class ToolServerError extends Error {
  override name = 'ToolServerError'
  readonly code: ToolServerErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  constructor(
    code: ToolServerErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.code = code
    this.details = options.details ?? []
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return toolServerErrorTable[this.code].status
  }

  toResponse(requestId: string): { error: object } {
    const { type } = toolServerErrorTable[this.code]
    return {
      error: { type, code: this.code, message: this.message, details: this.details, request_id: requestId },
    }
  }
}

export const sessionNotFound = () =>
  new ToolServerError('not_found', "This session doesn't exist or has ended. Open a new one.")

/** Returns a 400 error about a message, or about the URL or headers that it was sent with. */
export const malformedMessage = (message: string, field?: string) =>
  new ToolServerError('malformed_json', message, {
    details: field === undefined ? [] : [{ field, code: 'invalid', message }],
  })
