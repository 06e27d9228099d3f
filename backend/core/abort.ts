/** The promise's result, or the signal's reason where that comes first. What comes too late is dropped. */
export function rejectOnAbort<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits for work, but no longer than until the signal: it is for work that does not look at it itself. */
export function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
