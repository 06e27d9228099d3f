import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorKey } from '../core/errors.ts'

/**
 * Responds to data that isn't HTTP or exceeds a limit, for which Node creates no request.
 *
 * @param canRespond returns false if the client would mistake the error response for the response to another request
 */
export function handleClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  canRespond: (socket: Socket) => boolean,
): void {
  // The client has sent nothing, so it expects no response: browsers and load balancers open connections in advance.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return
  if (error.code === 'ECONNRESET' || !socket.writable || !canRespond(socket)) socket.destroy()
  else respond(socket, statusLines[error.code ?? ''] ?? statusLines.other)
}

/** Responds to a request whose body took too long to arrive, in the same way as after Node's own timeout. */
export const endLateRequest = ({ socket }: IncomingMessage): void =>
  respond(socket, statusLines.ERR_HTTP_REQUEST_TIMEOUT)

/** Sends an error in the contract's format. Its status can be 408 or 431, which aren't in the contract's table of statuses. */
function respond(socket: Socket, [status, key]: [string, ErrorKey]): void {
  const requestId = randomUUID()
  const body = JSON.stringify(new ApiError(key).toResponse(requestId))
  socket.write(
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
  // `end` isn't enough, because a client that never closes its side would keep the connection.
  socket.destroySoon()
}

const statusLines: {
  [code: string]: [string, ErrorKey]
  ERR_HTTP_REQUEST_TIMEOUT: [string, ErrorKey]
  other: [string, ErrorKey]
} = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'malformed_json.timeout'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'malformed_json.headers'],
  other: ['400 Bad Request', 'malformed_json.http'],
}
