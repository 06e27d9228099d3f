import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { ApiError } from '../core/errors.ts'
import { authenticate } from '../identity/authenticate.ts'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { createLastUsedRecorder } from '../identity/last-used.ts'
import { createRateLimit, type Quota, rateLimitHeaders } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who acts; null where nobody has been authenticated (yet). */
    caller: Caller | null
  }
}

const windowSeconds = 60

/**
 * Unknown credentials that one address may send in a window. They alone are counted and refused: the
 * workers of an automation platform share addresses, and one user's dead connection, or the expired
 * token with which every refresh begins, must not shut out the others.
 */
const maxUnknownCredentials = 300

/** Lets a request in with a good credential and something left of its quota. Runs before the body is read. */
export function createRequestAuthenticator(deps: Deps) {
  const authenticateHeader = authenticate(deps)
  const recordLastUsed = createLastUsedRecorder(deps)
  const countConnectionRequest = createRateLimit(deps.clock, {
    limit: deps.config.rateLimitPerMinute,
    windowSeconds,
  })
  const countUnknownCredential = createRateLimit(deps.clock, { limit: maxUnknownCredentials, windowSeconds })

  return async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    reply.header('Cache-Control', 'no-store')
    const caller = await authenticateHeader(request.headers.authorization).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_credential') {
        requireQuota(
          countUnknownCredential(request.ip),
          'Too many unknown credentials came from this address',
        )
      }
      throw error
    })
    request.caller = caller
    recordLastUsed(caller)
    const quota = countConnectionRequest(getConnectionKey(caller))
    reply.headers(rateLimitHeaders(quota, windowSeconds))
    requireQuota(quota, `This connection may send ${quota.limit} requests a minute`)
    return caller
  }
}

function requireQuota(quota: Quota, rule: string): void {
  if (!quota.exceeded) return
  const seconds = quota.resetSeconds
  throw new ApiError(
    'rate_limited',
    `${rule}: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}
