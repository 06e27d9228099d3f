import type { AbortReason, InFlightCall } from '../mcp/in-flight-calls.ts'

/** Every call under way in this process. Each knows its place in the list: a Set costs more than short calls do. */
export class InFlightCalls {
  readonly #all: InFlightCall[] = []
  #idleWaiters: (() => void)[] = []

  get size(): number {
    return this.#all.length
  }

  add(call: InFlightCall): void {
    call.index = this.#all.length
    this.#all.push(call)
  }

  /** Once for each that was added. */
  delete(call: InFlightCall): void {
    const last = this.#all.pop()
    if (last !== undefined && last !== call) {
      this.#all[call.index] = last
      last.index = call.index
    }
    if (this.#all.length > 0) return
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  abort(reason: AbortReason, predicate: (call: InFlightCall) => boolean): void {
    for (const call of this.#all.filter(predicate)) call.abort(reason)
  }

  /** Resolves when none is under way. */
  whenIdle(): Promise<void> {
    if (this.#all.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }
}
