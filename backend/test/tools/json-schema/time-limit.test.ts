import { expect, it } from '@jest/globals'
import { CalculationTimeoutError, runWithTimeout } from '../../../tools/json-schema/run-with-timeout.ts'

const sleepSync = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

it('does a calculation once more that the machine kept waiting', () => {
  let attempts = 0
  const work = () => {
    attempts += 1
    if (attempts === 1) sleepSync(10_000) // as if other processes had the processor
    return 'done'
  }
  expect(runWithTimeout(work)).toBe('done')
  expect(attempts).toBe(2)
})

it('gives up a calculation that has worked for as long as it may', () => {
  const endless = () => {
    for (;;);
  }
  expect(() => runWithTimeout(endless)).toThrow(CalculationTimeoutError)
})

it('passes on what a calculation throws itself', () => {
  const work = () => {
    throw new TypeError('of its own')
  }
  expect(() => runWithTimeout(work)).toThrow('of its own')
})
