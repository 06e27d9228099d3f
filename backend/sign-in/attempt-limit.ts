import ipaddr from 'ipaddr.js'
import type { Clock } from '../core/clock.ts'

export interface AttemptLimit {
  /** Counts a try. False where there were too many. */
  consume(key: string): boolean
  /** Forgets the tries of a key: one has succeeded. */
  clear(key: string): void
}

/** At most `max` tries per key within `windowMs` of the first. Counted before the try, so that many at once count too. */
export function createAttemptLimit(
  clock: Clock,
  { max, windowMs }: { max: number; windowMs: number },
): AttemptLimit {
  const counts = new Map<string, { attempts: number; until: number }>()

  return {
    consume: (key) => {
      const now = clock.now().getTime()
      for (const [other, { until }] of counts) if (until <= now) counts.delete(other)
      const count = counts.get(key) ?? { attempts: 0, until: now + windowMs }
      count.attempts += 1
      counts.set(key, count)
      return count.attempts <= max
    },
    clear: (key) => void counts.delete(key),
  }
}

/**
 * What tries are counted by: an IPv4 address, or the first 64 bits of an IPv6 one, since whoever has one has all
 * addresses that begin so (RFC 6177).
 */
export function toNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}
