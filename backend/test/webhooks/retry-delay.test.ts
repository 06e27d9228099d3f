import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { parseRetryAfter, retryDelay, retrySchedule } from '../../webhooks/retry-delay.ts'

const hour = 60 * 60 * 1000
const attempts = fc.integer({ min: 1, max: 9 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const now = new Date('2026-05-04T15:00:00.000Z')

it("the retry delay follows the contract's schedule if there's no jitter", () => {
  const seconds = retrySchedule.map((_delay, index) => (retryDelay(index + 1, () => 0) ?? 0) / 1000)
  expect(seconds).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
})

it("there's no retry delay after the tenth attempt", () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 1000 }), random, (n, c) => retryDelay(n, () => c) === undefined),
  )
})

it('the retry delay is never shorter than in the schedule, and at most 20% longer', () => {
  fc.assert(
    fc.property(attempts, random, (n, c) => {
      const [delay, base] = [retryDelay(n, () => c) ?? 0, retrySchedule[n - 1] ?? 0]
      return delay >= base && delay <= base * 1.2 && Number.isInteger(delay)
    }),
  )
})

it('Retry-After extends the retry delay to at most a day, and never shortens it', () => {
  fc.assert(
    fc.property(attempts, random, fc.double({ min: 0, noNaN: true }), (n, c, retryAfter) => {
      const [plain, delay] = [retryDelay(n, () => c) ?? 0, retryDelay(n, () => c, retryAfter) ?? 0]
      return (
        delay >= plain &&
        delay <= Math.max(plain, 24 * hour) &&
        (retryAfter > 24 * hour || delay >= retryAfter)
      )
    }),
  )
})

it.each([
  ['120', 120_000],
  ['0', 0],
  [' 7 ', 7_000],
  ['Mon, 04 May 2026 15:01:00 GMT', 60_000],
  ['Monday, 04-May-26 15:01:00 GMT', 60_000],
  ['Mon, 04 May 2026 14:00:00 GMT', 0],
  ['Mon May  4 15:01:00 2026', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['soon GMT', undefined],
  ['', undefined],
  [undefined, undefined],
])('reads Retry-After %j as %p milliseconds', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected)
})

it('reads any text in Retry-After without throwing', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const read = parseRetryAfter(value, now)
      return read === undefined || read >= 0
    }),
  )
})
