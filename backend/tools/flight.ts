/** Why a tool was not waited for any longer. */
export type BrokenOff = 'canceled' | 'timeout' | 'stopping'

/** One call of a tool under way. */
export class Flight {
  readonly startedAt: number
  /** Resolves when it is broken off; a call that ends by itself leaves it open. */
  readonly brokenOff: Promise<BrokenOff>
  #resolve: (why: BrokenOff) => void = () => {}
  #why: BrokenOff | undefined
  #controller: AbortController | undefined

  constructor(startedAt: number) {
    this.startedAt = startedAt
    this.brokenOff = new Promise((resolve) => {
      this.#resolve = resolve
    })
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
    this.#resolve(why)
  }
}
