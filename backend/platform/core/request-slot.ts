import { AsyncLocalStorage } from 'node:async_hooks'

/** A request's place among the requests that a process handles at the same time. */
export interface RequestSlot {
  /** Lets another request take the slot. */
  release(): void
}

/** The slot of the request whose handler is running. */
export const currentSlot = new AsyncLocalStorage<RequestSlot>()

/**
 * Releases the slot of the current request, if it has one. Call it in a handler before a long wait for something outside of
 * this process, during which the handler does almost nothing.
 */
export const releaseRequestSlot = (): void => currentSlot.getStore()?.release()
