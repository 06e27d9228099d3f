import { afterAll } from '@jest/globals'

/**
 * Returns a function that registers a resource to close. After the last test of a file, the resources are closed in reverse
 * order, including those that `beforeAll` created before it failed.
 *
 * @param hook pass `afterEach` to close after each test, even if it fails; an open resource would keep Jest from ending
 */
export function useClosers(hook: typeof afterAll = afterAll): (close: () => unknown) => void {
  const closers: (() => unknown)[] = []
  hook(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })
  return (close) => void closers.push(close)
}
