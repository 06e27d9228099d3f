import { expect, it } from '@jest/globals'
import { type CallOutcome, CallOutcome as Outcomes, RetryOutcome, type RetryPolicy } from '@outdial/contract'
import fc from 'fast-check'
import { retryDelayMs, shouldRetry } from '../../calling/dialer/retry-policy.ts'

const policy: fc.Arbitrary<RetryPolicy> = fc.record({
  max_attempts: fc.integer({ min: 1, max: 10 }),
  delay_minutes: fc.integer({ min: 1, max: 1440 }),
  on: fc.subarray([...RetryOutcome.options]),
})
const outcome: fc.Arbitrary<CallOutcome> = fc.constantFrom(...Outcomes.options)

it("retries a call if its outcome is in the policy and attempts are left, and otherwise doesn't", () => {
  fc.assert(
    fc.property(policy, outcome, fc.integer({ min: 1, max: 12 }), (retry, ended, attempts) => {
      const named = (retry.on as string[]).includes(ended)
      const end = { outcome: ended, endedReason: 'line_failed' } as const
      expect(shouldRetry(retry, end, attempts)).toBe(named && attempts < retry.max_attempts)
    }),
  )
})

it('never retries a call whose attempt ended because its worker was lost', () => {
  fc.assert(
    fc.property(policy, fc.integer({ min: 1, max: 9 }), (retry, attempts) => {
      expect(shouldRetry(retry, { outcome: 'failed', endedReason: 'worker_lost' }, attempts)).toBe(false)
    }),
  )
})

it("delays a retry by the policy's delay, divided by the provider's speed", () => {
  fc.assert(
    fc.property(policy, fc.integer({ min: 1, max: 10_000 }), (retry, speed) => {
      expect(retryDelayMs(retry, 1)).toBe(retry.delay_minutes * 60_000)
      expect(Math.abs(retryDelayMs(retry, speed) * speed - retry.delay_minutes * 60_000)).toBeLessThanOrEqual(
        speed,
      )
    }),
  )
})
