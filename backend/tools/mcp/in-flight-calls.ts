import type { RequestId } from '@modelcontextprotocol/sdk/types.js'

/** Why a tool call was aborted. */
type AbortReason = 'canceled' | 'timeout' | 'stopping'

/** A request in progress, usually a tool call. */
export class InFlightCall {
  /** The ID of the JSON-RPC request. Not unique, because some clients use one ID for several requests. */
  readonly id: RequestId
  readonly session: object
  readonly startedAt: number
  #controller: AbortController | undefined
  #abortReason: AbortReason | undefined
  #onAbort: ((reason: AbortReason) => void) | undefined

  constructor(session: object, id: RequestId, startedAt: number) {
    this.session = session
    this.id = id
    this.startedAt = startedAt
  }

  /** Created on first use, because most tools don't need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#abortReason !== undefined) this.#controller.abort()
    return this.#controller.signal
  }

  wasCanceled(): boolean {
    return this.#abortReason === 'canceled'
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== undefined) return
    this.#abortReason = reason
    this.#controller?.abort()
    this.#onAbort?.(reason)
  }

  /** Resolves with the result of the work, or with the reason if the call is aborted first. */
  waitFor<Result>(work: Promise<Result>): Promise<Result | AbortReason> {
    return new Promise((resolve, reject) => {
      this.#onAbort = resolve
      work.then(resolve, reject)
      if (this.#abortReason !== undefined) resolve(this.#abortReason)
    })
  }
}

/** The requests in progress in this process. */
export class InFlightCalls {
  readonly #calls = new Set<InFlightCall>()
  #idleWaiters: (() => void)[] = []

  get size(): number {
    return this.#calls.size
  }

  add(call: InFlightCall): void {
    this.#calls.add(call)
  }

  delete(call: InFlightCall): void {
    this.#calls.delete(call)
    if (this.#calls.size > 0) return
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  abort(reason: AbortReason, predicate: (call: InFlightCall) => boolean): void {
    for (const call of this.filter(predicate)) call.abort(reason)
  }

  /** Returns the matching calls in a new array. */
  filter(predicate: (call: InFlightCall) => boolean): InFlightCall[] {
    return [...this.#calls].filter(predicate)
  }

  /** Resolves when no call is in progress. */
  whenIdle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }
}
