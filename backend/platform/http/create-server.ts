import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorKey } from '../core/errors.ts'
import type { BodyLimits } from './body-limits.ts'
import { handleClientError } from './client-errors.ts'
import type { FloodGuard } from './flood-guard.ts'
import { type HttpLimits, nodeRequestTimeoutMs } from './http-limits.ts'
import { getRequestId } from './request-log.ts'
import { createRequestOrder } from './request-order.ts'

/**
 * Creates a server that limits the time of slow clients, handles the requests of a connection one after the other, and
 * sends its own errors in the contract's format.
 */
export function createLimitedServer(
  handle: RequestListener,
  { limits, bodies, floods }: { limits: HttpLimits; bodies: Pick<BodyLimits, 'watch'>; floods: FloodGuard },
): Server {
  const { inOrder, canRespond } = createRequestOrder(floods.add)
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: nodeRequestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // With `true`, Node would reject a request without a Host header, and the response would have no body.
      requireHostHeader: false,
    },
    inOrder((req, res) => {
      bodies.watch(req, res)
      // RFC 9112, section 3.2: a request has exactly one Host header, except in HTTP/1.0. If there are several, Node uses the
      // first one, but a proxy could use another.
      const hosts = countHosts(req)
      if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0'))
        rejectRequest(req, res, 400, 'malformed_json.host_count')
      else handle(req, res)
    }),
  )
  // RFC 9110, section 10.1.1: the response to an unknown expectation is 417.
  server.on(
    'checkExpectation',
    inOrder((req, res) => rejectRequest(req, res, 417, 'malformed_json.expectation')),
  )
  server.on('clientError', (error, socket: Socket) => handleClientError(error, socket, canRespond))
  server.on('connection', (socket) => {
    if (floods.isRejected(socket)) {
      socket.destroy()
      return
    }
    const closeUnused = () => {
      if (socket.bytesRead === 0) socket.destroy()
    }
    const timer = setTimeout(closeUnused, limits.unusedTimeoutMs).unref()
    socket.once('close', () => clearTimeout(timer))
  })
  return server
}

/** Counts a request's Host headers. Reads `rawHeaders`, because `headersDistinct` would copy all headers of each request. */
const countHosts = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
    .length

/** Responds to a request that Fastify doesn't handle. `status` is a number, because 417 isn't in the contract's table. */
function rejectRequest(req: IncomingMessage, res: ServerResponse, status: number, key: ErrorKey): void {
  const requestId = getRequestId(req)
  const body = JSON.stringify(new ApiError(key).toResponse(requestId))
  res
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': requestId,
      // The request's body may still be arriving, and nothing reads it.
      Connection: 'close',
    })
    .end(body)
}
