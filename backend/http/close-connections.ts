import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { secondMs } from '../core/durations.ts'

/** How long a connection can wait for its first request. Browsers open connections before they need them. */
const firstRequestTimeoutMs = 500

/** How long requests in progress can take to finish. */
const lastResponseTimeoutMs = 12 * secondMs

/**
 * Returns a function to call when the server begins to close. It limits how long Node waits for connections that aren't
 * idle, because Node would wait indefinitely, even for connections that have never sent a request.
 */
export function limitClosing(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    if (!server.listening) return
    const closeUnused = () => sockets.forEach((socket) => socket.bytesRead === 0 && socket.destroy())
    const timers = [
      setTimeout(closeUnused, firstRequestTimeoutMs),
      setTimeout(() => server.closeAllConnections(), lastResponseTimeoutMs),
    ]
    server.once('close', () => timers.forEach((timer) => clearTimeout(timer)))
  }
}
