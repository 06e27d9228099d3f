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
  /** How long a connection can get new requests. After that, a new one is opened, for which the hostname is checked again. */
  maxAgeMs?: number
  /** Maximum number of idle connections that stay open, to all servers together. */
  maxIdle?: number
}

/** A guarded send that reuses connections. */
export interface ReusingSend {
  send: GuardedSend
  /** Closes the idle connections. */
  close: () => Promise<void>
}

interface Connection {
  client: Client
  openedAt: number
}

/** Codes of errors that occur on a connection that the server has closed. */
const closedCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * Creates a guarded send for servers that get many requests. A connection leads to the address that was checked when it
 * was opened, and gets requests only to the same origin, one at a time. It's closed after a few idle seconds, or when
 * it's a minute old, so that a hostname's new address is checked and used within a minute.
 *
 * Servers can close an idle connection at any time. If a request fails for this reason, it's sent again on a new
 * connection. The server may then get the request twice, so use this only for requests that may be repeated.
 */
export function createReusingSend({
  maxAgeMs = minuteMs,
  maxIdle = 1_000,
  ...options
}: ReuseOptions): ReusingSend {
  const connect = guardedConnector(options)
  /** Idle connections by origin. */
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

// A server's `Keep-Alive: timeout` header can extend the idle time up to `keepAliveMaxTimeout`.
const idleOptions = { pipelining: 1, keepAliveTimeout: 4 * secondMs, keepAliveMaxTimeout: 30 * secondMs }
