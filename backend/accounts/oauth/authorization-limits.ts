import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { toNetworks } from '../../platform/core/networks.ts'
import { createSharedCounter } from '../../platform/replicas/shared-counter.ts'
import {
  authorizationTooLongError,
  tooManyAuthorizationsError,
  tooManyAuthorizationsOfAllError,
} from '../../platform/views/page-error.ts'

/** Maximum length of a URL, which is stored: enough for a `state` of 2 KB, the longest redirect URI, and all scopes. */
const maxUrlLength = 4096

/**
 * Maximum authorizations per minute. A person starts one at a time, but many can share an address, or an IPv6 /64 or
 * /48.
 */
const maxPerNetwork = 60
const maxPerSite = 240
/** Each authorization is stored for 15 minutes, so this limit allows 45,000 rows. */
const maxOverall = 3_000
/**
 * Above `maxOverall`, some networks are probably storing as much as they can. Each site is still allowed this many
 * authorizations, so that its people can connect apps.
 */
const maxPerSiteWhenBusy = 3
/**
 * The database must be able to store the authorizations that this limit allows: 450,000 rows. Only a large botnet has
 * enough sites to reach it.
 */
const maxOverallWhenBusy = 30_000

/**
 * Maximum token requests per minute. Automation platforms refresh the tokens of all their users from a few addresses.
 */
const maxTokenRequestsPerNetwork = 1_200
const maxTokenRequestsPerSite = 4_800

/**
 * Limits what strangers can store. Anyone who knows an app's client ID and redirect URI, which are public, can start
 * authorizations, and each one is stored until it expires.
 */
export function createAuthorizationLimits(deps: Pick<Deps, 'clock' | 'replicas'>) {
  const counter = createSharedCounter(deps, { name: 'authorizations', windowMs: minuteMs })

  return {
    /** @throws {PageError} if there were too many from the request's network or overall */
    check: async (request: Pick<FastifyRequest, 'ip'>): Promise<void> => {
      const [network, site] = toNetworks(request.ip)
      // Counts the network and the site, even if the network is already over its limit.
      const [inNetwork, inSite] = await Promise.all([counter.add(network), counter.add(site)])
      if (inNetwork.count > maxPerNetwork || inSite.count > maxPerSite) throw tooManyAuthorizationsError()
      // Adds to the overall count last, so that a network over its limit can't use up the limit for everyone.
      const { count } = await counter.add('overall')
      if (count <= maxOverall) return
      if (count <= maxOverallWhenBusy && inSite.count <= maxPerSiteWhenBusy) return
      // A rejected request isn't counted. Otherwise, a few networks could use up what's left for all others.
      await counter.subtract('overall')
      throw tooManyAuthorizationsOfAllError()
    },
  }
}

/** Limits each network's requests for tokens. Such requests are expensive, and each can try a client secret or a token. */
export function createTokenLimits(deps: Pick<Deps, 'clock' | 'replicas'>) {
  const counter = createSharedCounter(deps, { name: 'token_requests', windowMs: minuteMs })

  return {
    /** @throws {ApiError} rate_limited */
    check: async ({ ip }: Pick<FastifyRequest, 'ip'>): Promise<void> => {
      const [network, site] = toNetworks(ip)
      const [inNetwork, inSite] = await Promise.all([counter.add(network), counter.add(site)])
      if (inNetwork.count <= maxTokenRequestsPerNetwork && inSite.count <= maxTokenRequestsPerSite) return
      const seconds = Math.max(1, Math.ceil((inNetwork.endsAt - deps.clock.now().getTime()) / secondMs))
      throw new ApiError('rate_limited.network', { headers: { 'Retry-After': String(seconds) } })
    },
  }
}

/**
 * Rejects URLs that are longer than any client needs, before anything else reads them.
 *
 * @throws {PageError} for a page, {ApiError} for a program
 */
export function limitUrl({ url, routeOptions }: Pick<FastifyRequest, 'url' | 'routeOptions'>): void {
  if (url.length <= maxUrlLength) return
  if (isPage(routeOptions.url)) throw authorizationTooLongError()
  throw new ApiError('malformed_json.url', { values: { limit: maxUrlLength } })
}

/** Returns true for the routes that people open. Only programs use the others. */
const isPage = (route = ''): boolean => route.startsWith('/oauth/authorize') || route.startsWith('/connect/')
