import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { secondMs } from '../core/durations.ts'

/** Milliseconds for the first request of a connection to arrive: browsers open connections before they need them. */
const firstRequestTimeoutMs = 500

/** Milliseconds for requests that are being answered. */
const lastResponseTimeoutMs = 12 * secondMs

/**
 * Returns a function to call when the server begins to close. Node then closes idle connections, and would wait for
 * every other one: also for one that has never sent a request.
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
