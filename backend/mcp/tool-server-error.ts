import {
  type allErrorTexts,
  codeOf,
  type ErrorDetail,
  type runtimeDetailTexts,
  type ToolServerErrorCode,
  toolServerErrorTable,
} from '@outdial/contract'
import { type ErrorOptions, fieldIssue, formatMessage } from '../core/errors.ts'

type ToolServerErrorKey = Extract<
  keyof typeof allErrorTexts,
  ToolServerErrorCode | `${ToolServerErrorCode}.${string}`
>

/** An error of the tool server, which has codes and statuses that the API doesn't. */
export class ToolServerError extends Error {
  override name = 'ToolServerError'
  readonly code: ToolServerErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  constructor(key: ToolServerErrorKey, options: ErrorOptions = {}) {
    super(formatMessage(key, options))
    this.code = codeOf(key)
    this.details = options.details ?? []
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return toolServerErrorTable[this.code].status
  }

  toResponse(requestId: string): { error: object } & Record<string, unknown> {
    const { type } = toolServerErrorTable[this.code]
    return {
      error: { type, code: this.code, message: this.message, details: this.details, request_id: requestId },
    }
  }
}

/** The JSON-RPC error for a batch of messages, which only MCP 2025-03-26 and earlier have. */
export class BatchError extends ToolServerError {
  constructor() {
    super('malformed_json.batch')
  }

  override toResponse(): { error: object } & Record<string, unknown> {
    return { jsonrpc: '2.0', id: null, error: { code: invalidRequest, message: this.message } }
  }
}

/** JSON-RPC 2.0, section 5.1. */
const invalidRequest = -32600

export const sessionNotFound = () => new ToolServerError('not_found.session')

/** Returns a 400 error about a part of a message, its URL, or its headers. */
export const malformedMessage = (
  field: string,
  key: keyof typeof runtimeDetailTexts,
  values: Record<string, number> = {},
) => new ToolServerError('malformed_json', { details: [fieldIssue(field, key, values)] })
