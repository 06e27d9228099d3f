import type { BrokenOff, Flight } from '../mcp/in-flight-calls.ts'

/** Every call under way in this process. Each knows its place in the list: a Set costs more than short calls do. */
export class Flights {
  readonly #all: Flight[] = []
  #landed: (() => void)[] = []

  get size(): number {
    return this.#all.length
  }

  add(flight: Flight): void {
    flight.place = this.#all.length
    this.#all.push(flight)
  }

  /** Once for each that was added. */
  delete(flight: Flight): void {
    const last = this.#all.pop()
    if (last !== undefined && last !== flight) {
      this.#all[flight.place] = last
      last.place = flight.place
    }
    if (this.#all.length > 0) return
    for (const resolve of this.#landed.splice(0)) resolve()
  }

  breakOff(why: BrokenOff, test: (flight: Flight) => boolean): void {
    for (const flight of this.#all.filter(test)) flight.breakOff(why)
  }

  /** Resolves when none is under way. */
  whenLanded(): Promise<void> {
    if (this.#all.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#landed.push(resolve))
  }
}
