import type { FastifyRequest } from 'fastify'
import { minuteMs } from '../core/durations.ts'
import type { Deps } from '../deps.ts'
import { createSharedCounter } from '../replicas/shared-counter.ts'
import { toNetworks } from '../sign-in/attempt-limit.ts'
import {
  authorizationTooLongError,
  tooManyAuthorizationsError,
  tooManyAuthorizationsOfAllError,
} from '../views/page-error.ts'

/** Long enough for a `state` of 2 KB with the longest redirect URI and all scopes. The query string is stored. */
const maxQueryLength = 4096

/** A person opens one authorization at a time. A network can be an office, or an IPv6 /64 or /48. */
const maxPerNetwork = 60
const maxPerSite = 240
/** With the 15 minutes that an authorization is stored, at most 45,000 rows. */
const maxOverall = 3_000

/**
 * Limits what strangers can store. Anyone who knows an app's client ID and redirect URI, which are public, can start
 * authorizations, and each one is stored until it expires.
 */
export function createAuthorizationLimits(deps: Pick<Deps, 'clock' | 'replicas'>) {
  const counter = createSharedCounter(deps, { name: 'authorizations', windowMs: minuteMs })

  return {
    /** @throws {PageError} if the request is too long, or if there were too many from its network or overall */
    check: async (request: Pick<FastifyRequest, 'ip' | 'url'>): Promise<void> => {
      if (request.url.length > maxQueryLength) throw authorizationTooLongError()
      const [network, site] = toNetworks(request.ip)
      // Both are counted, even if the first one is exceeded.
      const [inNetwork, inSite] = await Promise.all([counter.add(network), counter.add(site)])
      if (inNetwork.count > maxPerNetwork || inSite.count > maxPerSite) throw tooManyAuthorizationsError()
      // Counted last, so that one network can't use up what's for everyone.
      if ((await counter.add('overall')).count > maxOverall) throw tooManyAuthorizationsOfAllError()
    },
  }
}
