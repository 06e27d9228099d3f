import { setTimeout as delay } from 'node:timers/promises'

/** Asks until the answer is neither undefined, null nor false. `turn` is done before each further asking. */
export async function waitFor<Value>(
  probe: () => Promise<Value | undefined | null | false>,
  onRetry: () => void = () => {},
  timeoutMs = 15_000,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== null && value !== false) return value
    if (performance.now() > deadline) throw new Error(`never became true: ${probe.toString()}`)
    onRetry()
    await delay(5)
  }
}

/** Reads again until what was read meets the condition; the test's own time limit ends it otherwise. */
export async function waitForValue<Value>(
  read: () => Promise<Value>,
  condition: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read()
    if (condition(value)) return value
    await delay(5)
  }
}

/** Waits for what a test cannot be told of. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}
