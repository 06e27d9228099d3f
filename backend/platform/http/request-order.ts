import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Maximum number of requests of a connection that wait for an earlier one. Few clients send another one before the
 * response.
 */
const maxWaiting = 16

/** Maximum bytes of the waiting requests' bodies that have arrived. */
const maxWaitingBytes = 64 * 1024

interface RequestOrder {
  /** Makes a listener handle the requests of a connection one after the other. */
  inOrder: (handle: RequestListener) => RequestListener
  /**
   * Checks whether a client would read data that's sent now as the response to its newest request, or to invalid data after
   * it. Returns false if an earlier response is still due, or a response has begun.
   */
  canRespond: (socket: Socket) => boolean
}

/**
 * Creates an order in which listeners handle the requests of a connection one after the other: the next one begins
 * when the previous response has been handed over to the system. Node would begin all requests that it has read, and keep
 * their responses in memory, so a client that reads nothing could cause hundreds of responses with one packet. A
 * connection on which too many requests wait is closed.
 *
 * @param onFlood is called before such a connection is closed
 */
export function createRequestOrder(onFlood: (socket: Socket) => void): RequestOrder {
  const waiting = new WeakMap<Socket, Set<IncomingMessage>>()
  const lastResponses = new WeakMap<Socket, ServerResponse>()
  const inOrder =
    (handle: RequestListener): RequestListener =>
    (req, res) => {
      const { socket } = req
      // Node still parses what it had read when the connection was closed.
      if (!socket.writable) return
      lastResponses.set(socket, res)
      // Node gives the connection to one response at a time. This response has it, so no earlier one is pending.
      if (res.socket !== null) {
        handle(req, res)
        return
      }
      const requests = waiting.get(socket) ?? new Set()
      if (requests.size >= maxWaiting || sumBytes(requests) > maxWaitingBytes) {
        onFlood(socket)
        skipRequests(socket)
        socket.destroy()
        return
      }
      waiting.set(socket, requests.add(req))
      const start = () => {
        requests.delete(req)
        if (socket.writable) handle(req, res)
      }
      // Node emits `socket` before the response has the connection completely, and in the previous request's async context.
      res.once(
        'socket',
        AsyncResource.bind(() => process.nextTick(start)),
      )
    }
  const canRespond = (socket: Socket) => {
    const last = lastResponses.get(socket)
    if (last === undefined || last.writableFinished) return true
    return !last.req.complete && last.socket === socket && !last.headersSent
  }

  return { inOrder, canRespond }
}

/**
 * Makes Node skip the requests that it has read but not parsed. Otherwise, it would prepare a response and an error with a
 * stack trace for each, which takes four times as long as parsing. `parser` isn't documented: if it's missing, nothing is
 * skipped.
 */
function skipRequests(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: () => number } | null }
  if (parser) parser.onIncoming = () => 0
}

function sumBytes(requests: Iterable<IncomingMessage>): number {
  let sum = 0
  for (const { readableLength } of requests) sum += readableLength
  return sum
}
