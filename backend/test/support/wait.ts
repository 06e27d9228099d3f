import { setTimeout as delay } from 'node:timers/promises'

/**
 * Probes until the value is neither undefined, null, nor false, and returns it.
 * `onRetry` runs before each further probe, for example to advance a clock.
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

/** Reads until the value meets the condition, and returns it. If it never does, the test times out. */
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

/** Polls a condition that reports no event to wait for, as fast as the event loop allows. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves with the error of the work, or with undefined if it succeeds. */
export const getError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
