import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { secondMs } from '../core/durations.ts'

/** How long a connection can wait for its first request. Browsers open connections before they need them. */
const firstRequestTimeoutMs = 500

/** How long requests in progress can take to finish. */
const lastResponseTimeoutMs = 12 * secondMs

/** Maximum time for which a server that's closing accepts new connections, if they don't stop arriving. */
const acceptTimeoutMs = 2 * secondMs

interface GracefulClosing {
  /** Limits the time that requests in progress still have. Call it before `close`. */
  begin(): void
  /** Stops listening, and resolves when all connections are closed. */
  close(): Promise<void>
}

/**
 * Returns functions that close a server without losing a request that has arrived. Node alone would reset connections that
 * only the kernel has accepted, and would wait indefinitely for connections that have never sent a request.
 */
export function createGracefulClosing(server: Server): GracefulClosing {
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  /** Resolves once a turn of the event loop has read new requests and found no new connection. */
  const acceptWaiting = async () => {
    const deadline = performance.now() + acceptTimeoutMs
    for (;;) {
      await nextTurn()
      const before = accepted
      await nextTurn()
      if (accepted === before || performance.now() > deadline) return
    }
  }

  const closeUnused = async (signal: AbortSignal) => {
    await delay(firstRequestTimeoutMs, undefined, { signal }).catch(() => undefined)
    // Lets Node read requests that have arrived, so that their connections don't count as unused.
    await nextTurn()
    await nextTurn()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  return {
    begin: () => {
      if (!server.listening) return
      const timer = setTimeout(() => server.closeAllConnections(), lastResponseTimeoutMs)
      server.once('close', () => clearTimeout(timer))
    },
    close: async () => {
      if (!server.listening) return
      await acceptWaiting()
      const allClosed = new AbortController()
      const closed = once(server, 'close')
      server.close()
      const unusedClosed = closeUnused(allClosed.signal)
      await closed
      allClosed.abort()
      await unusedClosed
    },
  }
}
