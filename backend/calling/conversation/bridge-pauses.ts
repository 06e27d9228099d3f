import type { Clock } from '../../platform/core/clock.ts'

/**
 * Yields the parts of a stream, and `pause` each time that the next part takes longer than a limit.
 *
 * @param getLimitMs returns the limit for the next part, in milliseconds. Undefined if it can take any time.
 */
export async function* bridgePauses<Part>(
  clock: Pick<Clock, 'wait'>,
  stream: AsyncGenerator<Part, void>,
  getLimitMs: () => number | undefined,
): AsyncGenerator<Part | 'pause', void> {
  try {
    for (;;) {
      const next = stream.next()
      for (let limitMs = getLimitMs(); limitMs !== undefined; limitMs = getLimitMs()) {
        const arrived = await arrivesWithin(clock, next, limitMs)
        if (arrived) break
        yield 'pause'
      }
      const result = await next
      if (result.done === true) return
      yield result.value
    }
  } finally {
    await stream.return()
  }
}

async function arrivesWithin(
  clock: Pick<Clock, 'wait'>,
  next: Promise<unknown>,
  ms: number,
): Promise<boolean> {
  const arrival = new AbortController()
  const late = clock.wait(ms, arrival.signal).then(() => false)
  try {
    return await Promise.race([next.then(() => true), late])
  } finally {
    arrival.abort()
  }
}
