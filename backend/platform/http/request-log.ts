import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ErrorDetail } from '@outdial/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../core/caller.ts'
import { isAddress } from '../core/networks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null if the request isn't authenticated, or not yet. */
    caller: Caller | null
    /** The code of the error that the response contains. */
    errorCode: string | null
    /** The issues that the response contains. */
    errorDetails: readonly ErrorDetail[] | null
  }
}

/**
 * Logs one line per request, with the route's pattern instead of the URL, because query strings and paths contain
 * tokens, codes, and phone numbers.
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      code: request.errorCode ?? undefined,
      duration_ms: Math.round(reply.elapsedTime),
      workspace_id: request.caller?.workspaceId,
    },
    'request',
  )
}

/**
 * Returns a hook that warns once if a proxy isn't trusted or doesn't send client addresses. In both cases, all clients
 * share the limits of one client.
 */
export function createProxyWarning(): (request: FastifyRequest) => void {
  let hasWarned = false
  let hasWarnedAboutAddress = false
  return (request) => {
    if (request.headers['x-forwarded-for'] === undefined) return
    if (!hasWarnedAboutAddress && !isAddress(request.ip)) {
      hasWarnedAboutAddress = true
      request.log.warn(
        { address: request.ip.slice(0, 64) },
        'a proxy sent an X-Forwarded-For header without an IP address; all clients without an address share the limits of one network; configure the proxy to send client IP addresses',
      )
    }
    if (hasWarned || request.ip !== request.socket.remoteAddress) return
    hasWarned = true
    request.log.warn(
      { proxy: request.ip },
      'ignored X-Forwarded-For, because its sender is not in TRUSTED_PROXIES; if Outdial runs behind this proxy, add it',
    )
  }
}

/** Returns the caller's own request ID if it's safe for logs and headers, otherwise a new one. */
export function getRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const header = request.headers['x-request-id']
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID()
}

/** The valid values of `X-Outdial-Client`. */
export const clientVersion = /^[\w./-]{1,64}$/

/**
 * Returns what a client calls itself, such as `zapier/1.0.0`. Returns null for a value of another form, which could contain
 * anything.
 */
export function getClientVersion({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const header = headers['x-outdial-client']
  return typeof header === 'string' && clientVersion.test(header) ? header : null
}
