import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ApiError } from '../../platform/core/errors.ts'
import { isDeeperThan, parseJson, requireJson } from '../../platform/http/read-body.ts'
import { getCredentialKey, type RuntimeCredential } from '../../platform/secrets/verify-runtime-credential.ts'
import { parseMessage, toJson } from './mcp-messages.ts'
import { ToolServerError } from './tool-server-error.ts'
import type { TransportRequest } from './tool-transport.ts'

const maxMessageBytes = 256 * 1024

/**
 * Maximum levels of nesting in a message. It's higher than the limit for arguments, so that arguments that exceed their own
 * limit get an error that names it.
 */
const maxMessageDepth = 1_000

export function sendError(res: ServerResponse, requestId: string, error: ToolServerError | ApiError): void {
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
    })
    .end(body)
}

export function sendJson(
  res: ServerResponse,
  requestId: string,
  body: unknown,
  extraHeaders: Record<string, string> = {},
): void {
  const json = toJson(body)
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
 * Reads the message of a request. `credential` is null if the request's credential hasn't been checked yet.
 *
 * @throws {ToolServerError | ApiError} body_too_large, unsupported_media_type, malformed_json, rate_limited
 */
export async function readMessage(
  { req, limitBody }: TransportRequest,
  credential: RuntimeCredential | null,
): Promise<JSONRPCMessage> {
  requireJson(req.headers)
  if (Number(req.headers['content-length'] ?? 0) > maxMessageBytes) throw messageTooLarge()
  limitBody(req, credential && getCredentialKey(credential), maxMessageBytes)
  const bytes = await readBody(req)
  // Checks the depth before parsing, because JSON.parse takes much longer for deeply nested values than for others.
  if (isDeeperThan(bytes, maxMessageDepth))
    throw new ToolServerError('malformed_json.nesting', { values: { limit: maxMessageDepth } })
  return parseMessage(parseJson(bytes))
}

/** Reads a body. The promise never settles if the client disconnects. */
function readBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer) => {
      length += chunk.length
      chunks.push(chunk)
      if (length <= maxMessageBytes) return
      req.off('data', onData)
      reject(messageTooLarge())
    }
    req.on('data', onData).on('end', () => resolve(Buffer.concat(chunks)))
  })
}

const messageTooLarge = () =>
  new ToolServerError('body_too_large.message', { values: { limit: maxMessageBytes / 1024 } })
