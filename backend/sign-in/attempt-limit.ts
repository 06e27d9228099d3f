import ipaddr from 'ipaddr.js'
import type { Clock } from '../core/clock.ts'
import { minuteMs } from '../core/durations.ts'
import { createWindowCounter } from '../core/window-counter.ts'

interface AttemptLimit {
  /** Counts an attempt. Returns false if there were too many. */
  consume(key: string): boolean
  /** Resets the count of a key, after a successful attempt. */
  clear(key: string): void
}

const limit = { maxAttempts: 10, windowMs: 5 * minuteMs }

/**
 * Allows ten attempts per key within five minutes of the first one. An attempt is counted before it's made, so that
 * concurrent attempts count too.
 */
export function createAttemptLimit(clock: Clock): AttemptLimit {
  const attempts = createWindowCounter(clock, limit)
  return {
    consume: (key) => attempts.add(key).count <= limit.maxAttempts,
    clear: (key) => attempts.clear(key),
  }
}

/**
 * Returns the network that attempts are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, because
 * one site has all addresses that start with them (RFC 6177).
 */
export function toNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}
