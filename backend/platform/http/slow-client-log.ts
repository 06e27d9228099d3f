import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'
import { formatNetwork } from '../core/networks.ts'

/** Counts the requests of slow clients by network, so that operators can find and block an attacker's network. */
export interface SlowClientLog {
  /** Records that a request was ended with status 408 or rejected with 429, or that a connection had too many requests. */
  add(address: string, outcome: 'ended' | 'rejected' | 'flooding'): void
  /** Writes a line if there's something new and the last line is at least 10 seconds old. Call it often. */
  write(): void
}

const intervalMs = 10 * secondMs
const maxNetworks = 1_000
const shownNetworks = 10

export function createSlowClientLog({ log, metrics }: Pick<Deps, 'log' | 'metrics'>): SlowClientLog {
  const counts = new Map<string, number>()
  const outcomes = { ended: 0, rejected: 0, flooding: 0 }
  let writtenAt = -Infinity
  return {
    add: (address, outcome) => {
      outcomes[outcome] += 1
      // Rejected requests aren't counted here, because `measureRequests` counts them when it measures their responses.
      if (outcome === 'ended') metrics.rejectedRequests.inc({ code: 'malformed_json' })
      const network = formatNetwork(address)
      const key = counts.has(network) || counts.size < maxNetworks ? network : 'others'
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    write: () => {
      if (counts.size === 0 || performance.now() - writtenAt < intervalMs) return
      writtenAt = performance.now()
      const largest = [...counts].sort(([, one], [, other]) => other - one).slice(0, shownNetworks)
      log.warn(
        { ...outcomes, networks: Object.fromEntries(largest) },
        'limited slow clients: ended requests whose bodies took too long, rejected requests from clients already sending ' +
          'too many bodies, or closed connections with too many requests',
      )
      counts.clear()
      Object.assign(outcomes, { ended: 0, rejected: 0, flooding: 0 })
    },
  }
}
