import type { Scope } from '@outdial/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Authenticated, createAuthenticator } from '../accounts/identity/authenticate.ts'
import type { Deps } from '../deps.ts'
import { type Caller, getConnectionKey } from '../platform/core/caller.ts'
import { ApiError } from '../platform/core/errors.ts'
import { toNetworks } from '../platform/core/networks.ts'
import type { Db } from '../platform/db/schema.ts'
import { createRateLimits, type Quota } from '../platform/replicas/rate-limits.ts'
import { createLastUsedRecorder } from './last-used.ts'

const windowSeconds = 60

/**
 * How many unknown credentials a network (an IPv4 address or an IPv6 /64) may send in a window. Requests with known
 * credentials don't count, and aren't rejected: users of an automation platform share its addresses, so one user's
 * revoked connection, or the expired token that starts every refresh, must not lock out the others.
 */
const maxUnknownCredentials = 300

/** The authenticated credential of a request. */
interface RequestCredential extends Authenticated {
  /** True if the credential was valid a short time ago, and hasn't been looked up for this request. */
  isRemembered: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request is authenticated. */
    credential: RequestCredential | null
  }
}

export function createRequestAuthenticator(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'log' | 'replicas'>) {
  const recordLastUsed = createLastUsedRecorder(deps)
  const authenticator = createAuthenticator(deps)
  const { rateLimitPerMinute, rateLimitPerWorkspace } = deps.config
  const countRequest = createRateLimits(deps, {
    // The workspace also has a limit, because a member with many API keys has a quota for each of them.
    limits: { connection_requests: rateLimitPerMinute, workspace_requests: rateLimitPerWorkspace },
    windowSeconds,
  })
  const countUnknownCredential = createRateLimits(deps, {
    limits: { unknown_credentials: maxUnknownCredentials },
    windowSeconds,
  })

  /** Counts look-ups that don't find the credential, and rejects them above the limit. */
  const limitUnknown = (request: FastifyRequest, lookUp: Promise<Authenticated>): Promise<Authenticated> =>
    lookUp.catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_credential') {
        const [quota] = await countUnknownCredential(toNetworks(request.ip)[0])
        requireQuota(quota, 'A client at this IP address with an unknown API key or access token')
      }
      throw error
    })

  return {
    /**
     * Authenticates a request and counts it against its connection's quota, before its body is read.
     *
     * @param options.mayRecall true if a remembered credential is enough, because it's checked again before the response
     */
    authenticate: async (
      request: FastifyRequest,
      reply: FastifyReply,
      { mayRecall }: { mayRecall: boolean },
    ): Promise<Caller> => {
      reply.header('Cache-Control', 'no-store')
      const { authorization } = request.headers
      const recalled = mayRecall ? authenticator.recall(authorization) : undefined
      const { caller, tokenHash } =
        recalled ?? (await limitUnknown(request, authenticator.authenticate(authorization)))
      request.credential = { caller, tokenHash, isRemembered: recalled !== undefined }
      request.caller = caller
      recordLastUsed(caller)
      const [connection, workspace] = await countRequest(getConnectionKey(caller), String(caller.workspaceId))
      if (connection !== undefined) reply.headers(rateLimitHeaders(connection))
      requireQuota(connection, 'This connection')
      requireQuota(workspace, 'All connections to this workspace together')
      return caller
    },
    /**
     * Looks up a remembered credential, because it may have been revoked.
     *
     * @param options.always looks the credential up even if that was already done for this request: it may have been revoked
     * since
     * @param options.tx the transaction that does what the request asks for
     */
    confirm: async (
      request: FastifyRequest,
      { always = false, tx }: { always?: boolean; tx?: Db } = {},
    ): Promise<void> => {
      const { credential } = request
      if (credential === null || !(credential.isRemembered || always)) return
      try {
        const confirmed = await limitUnknown(request, authenticator.confirm(credential.tokenHash, tx))
        request.credential = { ...confirmed, isRemembered: false }
      } catch (error) {
        // A request without a valid credential belongs to no workspace.
        if (error instanceof ApiError) {
          request.caller = null
          request.credential = null
        }
        throw error
      }
    },
  }
}

/** Returns the header fields of draft-ietf-httpapi-ratelimit-headers-10. */
const rateLimitHeaders = (quota: Quota): Record<string, string> => ({
  'RateLimit-Policy': `"default";q=${quota.limit};w=${windowSeconds}`,
  RateLimit: `"default";r=${quota.remaining};t=${quota.resetSeconds}`,
})

/** @param source names who sent the counted requests, for the error's message */
function requireQuota(quota: Quota | undefined, source: string): void {
  if (quota?.exceeded !== true) return
  const seconds = quota.resetSeconds
  const values = {
    source,
    limit: quota.limit,
    seconds: `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
  }
  throw new ApiError('rate_limited', {
    values,
    headers: { 'Retry-After': String(seconds) },
  })
}

/**
 * Rejects a caller without all of `scopes`, and names the missing ones (RFC 6750, section 3.1).
 *
 * @throws {ApiError} insufficient_scope
 */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
  if (missing.length === 0) return
  throw new ApiError('insufficient_scope', {
    values: { scopes: missing.join(', ') },
    headers: {
      'WWW-Authenticate': `Bearer realm="Outdial", error="insufficient_scope", scope="${scopes.join(' ')}"`,
    },
  })
}
