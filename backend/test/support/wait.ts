import { setTimeout as delay } from 'node:timers/promises'

/**
 * Calls `probe` until its value is neither undefined, null, nor false, and returns the value. Runs `onRetry` before each
 * further call, for example to advance a clock.
 */
export async function waitFor<Value>(
  probe: () => Promise<Value | undefined | null | false>,
  onRetry: () => void = () => {},
  timeoutMs = 45_000,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== null && value !== false) return value
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${probe.toString()}`)
    onRetry()
    await delay(5)
  }
}

/** Calls `read` until the value meets the condition, and returns the value. If it never does, the test times out. */
export async function waitForValue<Value>(
  read: () => Value | Promise<Value>,
  condition: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read()
    if (condition(value)) return value
    await delay(5)
  }
}

/** Polls a condition as fast as the event loop allows. Use it if there's no event to wait for. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves with the error of `work`, or with undefined if it succeeds. */
export const getError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
