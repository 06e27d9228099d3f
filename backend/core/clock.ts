import { setTimeout as delay } from 'node:timers/promises'

/** Time as an argument: tests turn the hands themselves. */
export interface Clock {
  now(): Date
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}

/** Randomness as an argument: a number from 0 (included) to 1 (excluded). */
export type Random = () => number
