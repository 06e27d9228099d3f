import type { BrokenOff, Flight } from './flight.ts'

/** Every call under way in this process. */
export class Flights {
  readonly #all = new Set<Flight>()
  #landed: (() => void)[] = []

  get size(): number {
    return this.#all.size
  }

  add(flight: Flight): void {
    this.#all.add(flight)
  }

  delete(flight: Flight): void {
    this.#all.delete(flight)
    if (this.#all.size > 0) return
    for (const resolve of this.#landed.splice(0)) resolve()
  }

  breakOff(why: BrokenOff, startedUntil = Infinity): void {
    for (const flight of this.#all) if (flight.startedAt <= startedUntil) flight.breakOff(why)
  }

  /** Resolves when none is under way. */
  whenLanded(): Promise<void> {
    if (this.#all.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#landed.push(resolve))
  }
}
