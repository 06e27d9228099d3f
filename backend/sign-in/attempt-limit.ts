import ipaddr from 'ipaddr.js'
import type { Clock } from '../core/clock.ts'
import { minuteMs } from '../core/durations.ts'
import { createWindowCounter } from '../core/window-counter.ts'

interface AttemptLimit {
  /** Counts an attempt; false where there were too many. */
  consume(key: string): boolean
  /** Forgets the attempts of a key: one has succeeded. */
  clear(key: string): void
}

const limit = { maxAttempts: 10, windowMs: 5 * minuteMs }

/**
 * Allows ten attempts per key within five minutes of the first one. An attempt counts before it is made, so that many at
 * once count too.
 */
export function createAttemptLimit(clock: Clock): AttemptLimit {
  const attempts = createWindowCounter(clock, limit)
  return {
    consume: (key) => attempts.add(key).count <= limit.maxAttempts,
    clear: (key) => attempts.clear(key),
  }
}

/**
 * What attempts are counted by: an IPv4 address, or the first 64 bits of an IPv6 one, because its owner has all
 * addresses that begin so (RFC 6177).
 */
export function toNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}
