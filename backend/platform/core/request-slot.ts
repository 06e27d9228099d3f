import { AsyncLocalStorage } from 'node:async_hooks'

/** A request's share of the requests that a process handles at the same time. */
export interface RequestSlot {
  /** Lets another request take it. */
  release(): void
}

/** The slot of the request whose handler is running. */
export const currentSlot = new AsyncLocalStorage<RequestSlot>()

/**
 * Releases the slot of the request whose handler calls this, if any. For handlers that from now on only wait for
 * something outside of this process, and do almost nothing meanwhile.
 */
export const releaseRequestSlot = (): void => currentSlot.getStore()?.release()
