import { createContext, Script } from 'node:vm'
import { errorCode } from '../../platform/core/errors.ts'

/** A calculation on untrusted data took too long or overflowed the stack. */
export class CalculationTimeoutError extends Error {
  override name = 'CalculationTimeoutError'
}

const context = createContext({ work: undefined as unknown })
const script = new Script('work()')

/**
 * Runs a synchronous calculation and interrupts it after `timeoutMs`, even inside a regular expression that backtracks.
 * Without the interruption, every session of the process would wait. The timeout costs about 0.15 ms. If the process got
 * too little CPU time, the calculation runs a second time.
 *
 * @throws {CalculationTimeoutError}
 */
export function runWithTimeout<Result>(work: () => Result, timeoutMs = 100): Result {
  const before = getCpuUsage()
  const first = tryWithTimeout(work, timeoutMs)
  if (first !== undefined) return first.value
  const { user, system } = getCpuUsage(before)
  const wasStarved = user + system < (timeoutMs * 1_000) / 2
  const second = wasStarved ? tryWithTimeout(work, timeoutMs) : undefined
  if (second === undefined) throw new CalculationTimeoutError()
  return second.value
}

/** Returns the CPU time of this thread, or of the whole process in Node 22, which can't measure a thread. */
const getCpuUsage = (before?: NodeJS.CpuUsage): NodeJS.CpuUsage =>
  (process as Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>).threadCpuUsage?.(before) ??
  process.cpuUsage(before)

/** Returns undefined if the calculation timed out or overflowed the stack. */
function tryWithTimeout<Result>(work: () => Result, timeoutMs: number): { value: Result } | undefined {
  let result: { value: Result } | undefined
  context.work = () => {
    result = { value: work() }
  }
  try {
    script.runInContext(context, { timeout: timeoutMs })
  } catch (error) {
    if (errorCode(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' && !isStackOverflow(error)) throw error
  } finally {
    context.work = undefined
  }
  return result
}

// Doesn't use instanceof, because the error may come from another realm.
const isStackOverflow = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'name') === 'RangeError'
