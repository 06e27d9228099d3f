import { expect, it } from '@jest/globals'
import { CalculationTimeoutError, runWithTimeout } from '../../../tools/json-schema/run-with-timeout.ts'

const sleepSync = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

it('runs a calculation again if the process got no CPU time', () => {
  let attempts = 0
  const work = () => {
    attempts += 1
    if (attempts === 1) sleepSync(10_000) // blocks the first attempt, as if other processes used the CPU
    return 'done'
  }
  expect(runWithTimeout(work)).toBe('done')
  expect(attempts).toBe(2)
})

it('stops a calculation that takes too long', () => {
  const endless = () => {
    for (;;);
  }
  expect(() => runWithTimeout(endless)).toThrow(CalculationTimeoutError)
})

it('passes on an error that a calculation throws', () => {
  const work = () => {
    throw new TypeError('from the calculation')
  }
  expect(() => runWithTimeout(work)).toThrow('from the calculation')
})
