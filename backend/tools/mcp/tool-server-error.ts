import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import {
  type allErrorTexts,
  codeOf,
  type ErrorDetail,
  type ErrorValues,
  type runtimeDetailTexts,
  type ToolServerErrorCode,
  toolServerErrorTable,
} from '@outdial/contract'
import { type ErrorOptions, fieldIssue, formatMessage } from '../../platform/core/errors.ts'

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

/** An error whose body is a JSON-RPC error, where the protocol requires one. */
export class RpcError extends ToolServerError {
  readonly #body: { id: RequestId | null; code: number; data?: object }

  constructor(
    key: ToolServerErrorKey,
    { values, ...body }: { id: RequestId | null; code: number; data?: object; values?: ErrorValues },
  ) {
    super(key, values === undefined ? {} : { values })
    this.#body = body
  }

  override toResponse(): { error: object } & Record<string, unknown> {
    const { id, code, data } = this.#body
    return { jsonrpc: '2.0', id, error: { code, message: this.message, ...(data && { data }) } }
  }
}

export const sessionNotFound = () => new ToolServerError('not_found.session')

/** Returns a 400 error about a part of a message, its URL, or its headers. */
export const malformedMessage = (
  field: string,
  key: keyof typeof runtimeDetailTexts,
  values: Record<string, number> = {},
) => new ToolServerError('malformed_json', { details: [fieldIssue(field, key, values)] })
