import { Client } from 'undici'
import { minuteMs, secondMs } from '../core/durations.ts'
import { errorCode } from '../core/errors.ts'
import {
  clientOptions,
  guardedConnector,
  type GuardedRequest,
  type GuardedResponse,
  type GuardedSend,
  type GuardOptions,
  sendOnce,
} from './guard.ts'

interface ReuseOptions extends GuardOptions {
  /** How long a connection gets new requests. After that, its hostname is resolved and checked again. */
  maxAgeMs?: number
  /** How many unused connections stay open, to all servers together. */
  maxIdle?: number
}

/** A guarded send that reuses connections. */
export interface ReusingSend {
  send: GuardedSend
  /** Closes the connections that no request uses. */
  close: () => Promise<void>
}

interface Connection {
  client: Client
  openedAt: number
}

/** Errors of a connection that the server closed. */
const closedCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * Creates a guarded send for servers that get many requests. A connection leads to the address that was checked when it
 * was opened, and gets requests only to the same origin, one at a time. It's closed after a few idle seconds, or when
 * it's a minute old, so that a hostname's new address is checked and used within a minute.
 *
 * Servers can close an unused connection at any time. If that's how a request fails, it's sent again on a new
 * connection. The server can then get it twice, so use this only for requests that may be repeated.
 */
export function createReusingSend({
  maxAgeMs = minuteMs,
  maxIdle = 1_000,
  ...options
}: ReuseOptions): ReusingSend {
  const connect = guardedConnector(options)
  /** Unused connections by origin. The origin that was used last comes last. */
  const idle = new Map<string, Set<Connection>>()
  let idleCount = 0

  const remove = (origin: string, connection: Connection): boolean => {
    const connections = idle.get(origin)
    if (!connections?.delete(connection)) return false
    idleCount -= 1
    if (connections.size === 0) idle.delete(origin)
    return true
  }

  const isOld = ({ openedAt }: Connection) => performance.now() - openedAt >= maxAgeMs

  const take = (origin: string): Connection | undefined => {
    for (const connection of [...(idle.get(origin) ?? [])].reverse()) {
      remove(origin, connection)
      if (!isOld(connection)) return connection
      void connection.client.destroy()
    }
    return undefined
  }

  const open = (origin: string): Connection => {
    const client = new Client(origin, { ...clientOptions, ...idleOptions, connect })
    const connection = { client, openedAt: performance.now() }
    client.on('disconnect', () => {
      if (remove(origin, connection)) void client.destroy()
    })
    return connection
  }

  const keep = (origin: string, connection: Connection): boolean => {
    if (isOld(connection) || idleCount >= maxIdle || !connection.client.stats.connected) return false
    const connections = idle.get(origin) ?? new Set()
    idle.set(origin, connections.add(connection))
    idleCount += 1
    return true
  }

  const sendOn = async (connection: Connection, request: GuardedRequest): Promise<GuardedResponse> => {
    let canReuse = false
    try {
      const response = await sendOnce(connection.client, request)
      canReuse = !response.isTruncated && !request.signal.aborted
      return response
    } finally {
      if (!canReuse || !keep(request.url.origin, connection)) await connection.client.destroy()
    }
  }

  const send: GuardedSend = async (request) => {
    request.signal.throwIfAborted()
    const { origin } = request.url
    const used = take(origin)
    if (used !== undefined) {
      try {
        return await sendOn(used, request)
      } catch (error) {
        if (request.signal.aborted || !closedCodes.has(errorCode(error))) throw error
      }
    }
    return sendOn(open(origin), request)
  }

  const close = async () => {
    const connections = [...idle.values()].flatMap((of) => [...of])
    idle.clear()
    idleCount = 0
    await Promise.all(connections.map(({ client }) => client.destroy()))
  }
  return { send, close }
}

// A server's `Keep-Alive: timeout` can make the idle time longer, up to the maximum.
const idleOptions = { pipelining: 1, keepAliveTimeout: 4 * secondMs, keepAliveMaxTimeout: 30 * secondMs }
