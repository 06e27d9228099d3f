import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ApiError } from '../core/errors.ts'
import { parseJson, requireJson } from '../http/read-body.ts'
import { parseMessage } from './mcp-messages.ts'
import { Refusal } from './tool-server-error.ts'

/** Bytes of a message. */
export const maxMessageBytes = 4 * 1024 * 1024

/** Answers a refusal and, where more of the request may come, ends the connection. */
export function refuse(
  res: ServerResponse,
  requestId: string,
  refusal: Refusal | ApiError,
  close = false,
): void {
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  const body = JSON.stringify(refusal.answer(requestId))
  res
    .writeHead(refusal.status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...refusal.headers,
      ...(close && { Connection: 'close' }),
    })
    .end(body)
}

export function answerJson(
  res: ServerResponse,
  requestId: string,
  json: string,
  more: Record<string, string> = {},
) {
  res
    .writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...more,
    })
    .end(json)
}

export function answerAccepted(res: ServerResponse, requestId: string): void {
  res.writeHead(202, { 'Content-Length': '0', 'X-Request-Id': requestId }).end()
}

/**
 * Reads the one message of a request. Callbacks rather than promises: this is done for every call of every tool.
 *
 * @throws {Refusal | ApiError} to `fail`: body_too_large, unsupported_media_type, malformed_json
 */
export function receiveMessage(
  req: IncomingMessage,
  done: (message: JSONRPCMessage) => void,
  fail: (error: unknown) => void,
): void {
  const { headers } = req
  try {
    requireJsonHeaders(headers)
    if (Number(headers['content-length'] ?? 0) > maxMessageBytes) throw tooLarge()
  } catch (error) {
    fail(error)
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
    fail(tooLarge())
  }
  const onEnd = () => {
    const [first] = chunks
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
    try {
      done(parseMessage(readJson(bytes)))
    } catch (error) {
      fail(error)
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
    throw new Refusal('malformed_json', 'The body is not valid JSON in UTF-8.')
  }
}

const tooLarge = () =>
  new Refusal('body_too_large', `A message may have at most ${maxMessageBytes / 1024 / 1024} MiB.`)
