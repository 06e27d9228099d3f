import type { RequestId } from '@modelcontextprotocol/sdk/types.js'

/** Why a request was aborted. */
type AbortReason = 'canceled' | 'timeout' | 'stopping'

/** A request in progress, usually a tool call. */
export class InFlightRequest {
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

  /** The signal is created on first use, because most tools don't need it. */
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

  /** Resolves with the result of the work, or with the reason if the request is aborted first. */
  waitFor<Result>(work: Promise<Result>): Promise<Result | AbortReason> {
    return new Promise((resolve, reject) => {
      this.#onAbort = resolve
      work.then(resolve, reject)
      if (this.#abortReason !== undefined) resolve(this.#abortReason)
    })
  }
}

/** The requests in progress in this process. */
export class InFlightRequests {
  readonly #requests = new Set<InFlightRequest>()
  #idleWaiters: (() => void)[] = []

  get size(): number {
    return this.#requests.size
  }

  add(request: InFlightRequest): void {
    this.#requests.add(request)
  }

  delete(request: InFlightRequest): void {
    this.#requests.delete(request)
    if (this.#requests.size > 0) return
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  abort(reason: AbortReason, predicate: (request: InFlightRequest) => boolean): void {
    for (const request of this.filter(predicate)) request.abort(reason)
  }

  /** Returns the matching requests in a new array. */
  filter(predicate: (request: InFlightRequest) => boolean): InFlightRequest[] {
    return [...this.#requests].filter(predicate)
  }

  /** Resolves when no request is in progress. */
  whenIdle(): Promise<void> {
    if (this.#requests.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }
}
