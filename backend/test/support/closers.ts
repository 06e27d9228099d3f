import { afterAll } from '@jest/globals'

/**
 * Returns a function that registers what must be closed after the last test of a file, in reverse order. What was created
 * before a failure in `beforeAll` is closed, too.
 *
 * @param hook `afterEach` closes after each test, also if it fails. Otherwise, Jest wouldn't end.
 */
export function useClosers(hook: typeof afterAll = afterAll): (close: () => unknown) => void {
  const closers: (() => unknown)[] = []
  hook(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })
  return (close) => void closers.push(close)
}
