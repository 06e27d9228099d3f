import type { Clock } from '../../platform/core/clock.ts'

interface Waiter {
  at: number
  resolve: () => void
}

/** A clock that moves only when the test advances it. */
export class ManualClock implements Clock {
  #now: number
  #waiters: Waiter[] = []

  /** Starts the clock, by default on Monday, May 4, 2026, at 15:00 UTC, which is 11:00 in New York. */
  constructor(start = '2026-05-04T15:00:00.000Z') {
    this.#now = Date.parse(start)
  }

  now(): Date {
    return new Date(this.#now)
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || ms <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const waiter = { at: this.#now + ms, resolve }
      this.#waiters.push(waiter)
      signal?.addEventListener('abort', () => this.#release(waiter), { once: true })
    })
  }

  /** Advances the time and resolves the waits that are due, earliest first. */
  advance(ms: number): void {
    this.#now += ms
    const due = this.#waiters.filter((waiter) => waiter.at <= this.#now).sort((a, b) => a.at - b.at)
    for (const waiter of due) this.#release(waiter)
  }

  /** The number of pending waits. A test waits for a certain number before it advances the clock. */
  get waiting(): number {
    return this.#waiters.length
  }

  #release(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter)
    waiter.resolve()
  }
}
