import { afterAll } from '@jest/globals'

/**
 * Returns a function that registers what must be closed after the last test of a file, in reverse order. What was created
 * before a failure in `beforeAll` is closed, too.
 */
export function useClosers(): (close: () => Promise<unknown>) => void {
  const closers: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of closers.toReversed()) await close()
  })
  return (close) => void closers.push(close)
}
