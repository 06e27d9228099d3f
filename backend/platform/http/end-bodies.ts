import { secondMs } from '../core/durations.ts'
import { type ArrivingBody, countBytes } from './arriving-bodies.ts'
import type { HttpLimits } from './http-limits.ts'

/** Returns whether a body takes too long to arrive. */
export function isLate(body: ArrivingBody, limits: HttpLimits): boolean {
  const elapsedMs = performance.now() - body.startedAt
  if (!body.isUpload) return elapsedMs > limits.bodyTimeoutMs
  const allowedMs = (countBytes(body) / limits.uploadBytesPerSecond) * secondMs
  return elapsedMs > limits.uploadTimeoutMs + allowedMs
}

/**
 * Returns the bodies to end so that the bytes of the rest are within the limit. Takes the oldest body of the owner with the
 * most bytes, again and again: an ordinary client's body arrives within a moment, while an attacker's bodies stay.
 */
export function findExcess(bodies: readonly ArrivingBody[], maxBytes: number): ArrivingBody[] {
  let excess = bodies.reduce((sum, body) => sum + countBytes(body), 0) - maxBytes
  if (excess <= 0) return []
  const groups = [...Map.groupBy(bodies, ({ owners }) => owners[0] ?? '').values()].map((waiting) => ({
    bytes: waiting.reduce((sum, body) => sum + countBytes(body), 0),
    waiting,
  }))
  const ended: ArrivingBody[] = []
  while (excess > 0) {
    const [largest] = groups.sort((one, other) => other.bytes - one.bytes)
    const oldest = largest?.waiting.shift()
    if (largest === undefined || oldest === undefined) break
    const bytes = countBytes(oldest)
    largest.bytes -= bytes
    excess -= bytes
    ended.push(oldest)
  }
  return ended
}
