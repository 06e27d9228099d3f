import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ApiError } from '../core/errors.ts'
import { parseJson, requireJson } from '../http/read-body.ts'
import { parseMessage } from './mcp-messages.ts'
import { ToolServerError } from './tool-server-error.ts'

/** Bytes of a message. */
export const maxMessageBytes = 4 * 1024 * 1024

/** Answers a refusal and, where more of the request may come, ends the connection. */
export function sendError(
  res: ServerResponse,
  requestId: string,
  error: ToolServerError | ApiError,
  close = false,
): void {
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  const body = JSON.stringify(error.toResponse(requestId))
  res
    .writeHead(error.status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...error.headers,
      ...(close && { Connection: 'close' }),
    })
    .end(body)
}

export function sendJson(
  res: ServerResponse,
  requestId: string,
  json: string,
  extraHeaders: Record<string, string> = {},
) {
  res
    .writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...extraHeaders,
    })
    .end(json)
}

export function sendAccepted(res: ServerResponse, requestId: string): void {
  res.writeHead(202, { 'Content-Length': '0', 'X-Request-Id': requestId }).end()
}

/**
 * Reads the one message of a request. Callbacks rather than promises: this is done for every call of every tool.
 *
 * @throws {ToolServerError | ApiError} to `fail`: body_too_large, unsupported_media_type, malformed_json
 */
export function receiveMessage(
  req: IncomingMessage,
  onMessage: (message: JSONRPCMessage) => void,
  onError: (error: unknown) => void,
): void {
  const { headers } = req
  try {
    requireJsonHeaders(headers)
    if (Number(headers['content-length'] ?? 0) > maxMessageBytes) throw messageTooLarge()
  } catch (error) {
    onError(error)
    return
  }
  const chunks: Buffer[] = []
  let length = 0
  const onData = (chunk: Buffer) => {
    length += chunk.length
    chunks.push(chunk)
    if (length <= maxMessageBytes) return
    chunks.length = 0
    req.off('data', onData).off('end', onEnd)
    onError(messageTooLarge())
  }
  const onEnd = () => {
    const [first] = chunks
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
    try {
      onMessage(parseMessage(readJson(bytes)))
    } catch (error) {
      onError(error)
    }
  }
  req.on('data', onData).on('end', onEnd)
}

function requireJsonHeaders(headers: IncomingHttpHeaders): void {
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return
  requireJson(headers)
}

/** As `parseJson`, without making a decoder for each message. */
function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return parseJson(bytes)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new ToolServerError('malformed_json', 'The body is not valid JSON in UTF-8.')
  }
}

const messageTooLarge = () =>
  new ToolServerError('body_too_large', `A message may have at most ${maxMessageBytes / 1024 / 1024} MiB.`)
