import type { Socket } from 'node:net'
import { randomUUID } from 'node:crypto'
import { ApiError } from '../core/errors.ts'

/**
 * Answers what is no HTTP, or too much of it, before there is a request: in the one shape as far as
 * it goes, with a status of HTTP's own where the contract's table has none.
 */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = statusLines[error.code ?? ''] ?? statusLines.other
  const requestId = randomUUID()
  const body = JSON.stringify(new ApiError('malformed_json', message).toResponse(requestId))
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const statusLines: { [code: string]: [string, string]; other: [string, string] } = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of this request are too large.'],
  other: ['400 Bad Request', 'This is no HTTP request that can be read.'],
}
