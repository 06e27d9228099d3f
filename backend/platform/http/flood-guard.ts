import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { toNetworks } from '../core/networks.ts'
import type { HttpLimits } from './http-limits.ts'
import type { SlowClientLog } from './slow-client-log.ts'

export interface FloodGuard {
  /** Counts a connection that is closed because too many requests wait on it. */
  add: (socket: Socket) => void
  /** Checks whether too many connections of the same network were counted a short time before this new one. */
  isRejected: (socket: Socket) => boolean
}

const maxNetworks = 10_000

/**
 * Creates a guard against networks whose clients send many requests on each connection and read no response. Closing such a
 * connection costs Outdial more than opening another one costs the client. A proxy's connections are never rejected.
 */
export function createFloodGuard(
  limits: Pick<HttpLimits, 'maxFloods' | 'floodMemoryMs'>,
  { slowClients, isProxy }: { slowClients: SlowClientLog; isProxy: (address: string) => boolean },
): FloodGuard {
  const floods = new LRUCache<string, number>({ max: maxNetworks, ttl: limits.floodMemoryMs })
  return {
    add: ({ remoteAddress = '' }) => {
      const [network] = toNetworks(remoteAddress)
      floods.set(network, (floods.get(network) ?? 0) + 1)
      slowClients.add(remoteAddress, 'flooding')
    },
    isRejected: ({ remoteAddress = '' }) => {
      const [network] = toNetworks(remoteAddress)
      return (floods.get(network) ?? 0) >= limits.maxFloods && !isProxy(remoteAddress)
    },
  }
}
