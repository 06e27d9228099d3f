import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { secondMs } from '../core/durations.ts'
import type { HttpLimits } from './http-limits.ts'

interface Waiting {
  since: number
  /** The number of bytes that the client had read at the time `since`. */
  readBefore: number
}

/**
 * Closes connections whose clients don't read what was sent to them, or read it too slowly. Also closes connections that
 * clients leave open after an error response. Returns a function that stops this.
 */
export function limitUnreadResponses(server: Server, limits: HttpLimits): () => void {
  const waiting = new Map<Socket, Waiting>()
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      waiting.delete(socket)
    })
  })

  const isLate = (socket: Socket, { since, readBefore }: Waiting) => {
    const bytes = socket.bytesWritten - readBefore
    const allowedMs = limits.responseTimeoutMs + (bytes / limits.responseBytesPerSecond) * secondMs
    return performance.now() - since > allowedMs
  }

  const check = () => {
    let unreadBytes = 0
    for (const socket of sockets) {
      if (socket.destroyed) continue
      const { writableLength } = socket
      if (writableLength === 0 && !socket.writableEnded) {
        waiting.delete(socket)
        continue
      }
      unreadBytes += writableLength
      const state = waiting.get(socket) ?? {
        since: performance.now(),
        readBefore: socket.bytesWritten - writableLength,
      }
      waiting.set(socket, state)
      if (isLate(socket, state)) socket.destroy()
    }
    // The map begins with the connections that have waited the longest.
    for (const socket of waiting.keys()) {
      if (unreadBytes <= limits.maxUnreadBytes) break
      if (socket.destroyed) continue
      unreadBytes -= socket.writableLength
      socket.destroy()
    }
  }

  // The timer is late while many responses are sent. So the unread bytes are also checked at the end of each response.
  let endedBytes = 0
  function countAtEnd(this: ServerResponse) {
    const bytes = this.socket?.writableLength ?? 0
    if (bytes === 0) return
    endedBytes += bytes
    this.once('close', () => void (endedBytes -= bytes))
    if (endedBytes > limits.maxUnreadBytes) check()
  }
  // This listener must run before the one that handles the request, because that one can respond at once.
  server.prependListener('request', (_req, res: ServerResponse) => res.on('prefinish', countAtEnd))
  const timer = setInterval(check, limits.checkIntervalMs).unref()
  return () => clearInterval(timer)
}
