import type { FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { minuteMs } from '../core/durations.ts'
import { createWindowCounter } from '../core/window-counter.ts'
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
 * authorizations, and each one is stored until it expires. Each process counts separately.
 */
export function createAuthorizationLimits(clock: Pick<Clock, 'now'>) {
  const counter = createWindowCounter(clock, { windowMs: minuteMs })

  return {
    /** @throws {PageError} if the request is too long, or if there were too many from its network or overall */
    check: (request: Pick<FastifyRequest, 'ip' | 'url'>): void => {
      if (request.url.length > maxQueryLength) throw authorizationTooLongError()
      const [network, site] = toNetworks(request.ip)
      // Both are counted, even if the first one is exceeded.
      const counts = [counter.add(network).count > maxPerNetwork, counter.add(site).count > maxPerSite]
      if (counts.includes(true)) throw tooManyAuthorizationsError()
      // Counted last, so that one network can't use up what's for everyone.
      if (counter.add('overall').count > maxOverall) throw tooManyAuthorizationsOfAllError()
    },
  }
}
