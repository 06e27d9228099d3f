import type { Clock } from './clock.ts'

/** Does something again and again, while there is something to do it for. */
export class Pulse {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #beat: () => void
  #stopping: AbortController | undefined

  constructor(clock: Clock, everyMs: number, beat: () => void) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#beat = beat
  }

  start(): void {
    if (this.#stopping !== undefined) return
    this.#stopping = new AbortController()
    void this.#run(this.#stopping.signal)
  }

  stop(): void {
    this.#stopping?.abort()
    this.#stopping = undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.wait(this.#everyMs, signal)
      if (signal.aborted) return
      this.#beat()
    }
  }
}
