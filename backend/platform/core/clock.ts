import { setTimeout as delay } from 'node:timers/promises'

/** The time, as a dependency that tests can control. */
export interface Clock {
  now(): Date
  /** Resolves after `ms` milliseconds, or when `signal` aborts. Never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** The clock of this machine, which can be wrong. The service's time comes from the database's clock instead. */
export const systemClock: Clock = {
  now: () => new Date(),
  wait: (ms, signal) => delay(Math.max(0, ms), undefined, { signal }).catch(() => undefined),
}

/** Returns a random number from 0 (included) to 1 (excluded). A dependency, so that tests can control it. */
export type Random = () => number
