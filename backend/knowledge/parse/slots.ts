/** Lets at most `atOnce` works run; as many as `waiting` wait for their turn. */
export function createConcurrencyLimit({
  concurrency,
  maxWaiting,
}: {
  concurrency: number
  maxWaiting: number
}) {
  let running = 0
  const queue: (() => void)[] = []

  /** Undefined, at once, where too many wait already. */
  return async <Result>(work: () => Promise<Result>): Promise<{ result: Result } | undefined> => {
    if (running >= concurrency) {
      if (queue.length >= maxWaiting) return undefined
      // Whoever ends hands its place on: nobody comes in between.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running += 1
    }
    try {
      return { result: await work() }
    } finally {
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
