import type { Clock } from './clock.ts'

/** Does something again and again, while there is something to do it for. */
export class PeriodicTask {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #task: () => void
  #controller: AbortController | undefined

  constructor(clock: Clock, intervalMs: number, task: () => void) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#task = task
  }

  start(): void {
    if (this.#controller !== undefined) return
    this.#controller = new AbortController()
    void this.#run(this.#controller.signal)
  }

  stop(): void {
    this.#controller?.abort()
    this.#controller = undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.wait(this.#intervalMs, signal)
      if (signal.aborted) return
      this.#task()
    }
  }
}
