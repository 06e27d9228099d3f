import type { RequestId } from '@modelcontextprotocol/sdk/types.js'

/** Why a tool was not waited for any longer. */
export type AbortReason = 'canceled' | 'timeout' | 'stopping'

/** One call of a tool under way. */
export class InFlightCall {
  /** Of the request; a careless client uses one for several. */
  readonly id: RequestId
  /** Whose it is. */
  readonly session: object
  readonly startedAt: number
  /** Kept by Flights. */
  index = -1
  #onAbort: ((reason: AbortReason) => void) | undefined
  #abortReason: AbortReason | undefined
  #controller: AbortController | undefined

  constructor(session: object, id: RequestId, startedAt: number) {
    this.session = session
    this.id = id
    this.startedAt = startedAt
  }

  /** Made for tools that look at it: many are done before it could matter. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get isCanceled(): boolean {
    return this.#abortReason === 'canceled'
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== undefined) return
    this.#abortReason = reason
    this.#controller?.abort()
    this.#onAbort?.(reason)
  }

  /** What the work comes to, or why it was broken off: then nobody waits for it any longer. */
  waitFor<Result>(work: Promise<Result>): Promise<Result | AbortReason> {
    return new Promise((resolve, reject) => {
      this.#onAbort = resolve
      work.then(resolve, reject)
      if (this.#abortReason !== undefined) resolve(this.#abortReason)
    })
  }
}

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
