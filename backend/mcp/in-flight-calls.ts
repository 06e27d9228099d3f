import type { RequestId } from '@modelcontextprotocol/sdk/types.js'

/** Why a tool was not waited for any longer. */
export type BrokenOff = 'canceled' | 'timeout' | 'stopping'

/** One call of a tool under way. */
export class Flight {
  /** Of the request; a careless client uses one for several. */
  readonly id: RequestId
  /** Whose it is. */
  readonly session: object
  readonly startedAt: number
  /** Kept by Flights. */
  place = -1
  #onBrokenOff: ((why: BrokenOff) => void) | undefined
  #why: BrokenOff | undefined
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
      if (this.#why !== undefined) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get isCanceled(): boolean {
    return this.#why === 'canceled'
  }

  breakOff(why: BrokenOff): void {
    if (this.#why !== undefined) return
    this.#why = why
    this.#controller?.abort()
    this.#onBrokenOff?.(why)
  }

  /** What the work comes to, or why it was broken off: then nobody waits for it any longer. */
  outcomeOf<Result>(work: Promise<Result>): Promise<Result | BrokenOff> {
    return new Promise((resolve, reject) => {
      this.#onBrokenOff = resolve
      work.then(resolve, reject)
      if (this.#why !== undefined) resolve(this.#why)
    })
  }
}
