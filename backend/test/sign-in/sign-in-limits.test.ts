import { expect, it } from '@jest/globals'
import { createSignInLimits } from '../../sign-in/attempt-limit.ts'
import { ManualClock } from '../support/clock.ts'

const account = 'ada@example.com'
const stranger = { account, isKnownDevice: false }
const range = (length: number) => Array.from({ length }, (_, index) => index)

it("limits strangers' attempts from many networks for an hour, but not those from a known browser", () => {
  const clock = new ManualClock()
  const limits = createSignInLimits(clock)
  for (const index of range(250)) {
    expect(limits.consume({ ...stranger, ip: `203.0.113.${index}` })).toBeUndefined()
  }
  expect(limits.consume({ ...stranger, ip: '198.51.100.1' })).toBe('account')
  expect(limits.consume({ account, isKnownDevice: true, ip: '198.51.100.1' })).toBeUndefined()
  expect(limits.consume({ ...stranger, account: 'other@example.com', ip: '198.51.100.1' })).toBeUndefined()
  clock.advance(60 * 60_000)
  expect(limits.consume({ ...stranger, ip: '198.51.100.1' })).toBeUndefined()
})

it('leaves three attempts to each other network, however often strangers with five addresses try', () => {
  const clock = new ManualClock()
  const limits = createSignInLimits(clock)
  const attempts = range(11).flatMap(() => {
    const results = range(100).map((index) => limits.consume({ ...stranger, ip: `203.0.113.${index % 5}` }))
    clock.advance(5 * 60_000)
    return results
  })
  expect(attempts.filter((exceeded) => exceeded === undefined)).toHaveLength(50)
  const owner = { ...stranger, ip: '198.51.100.1' }
  expect(range(4).map(() => limits.consume(owner))).toEqual([undefined, undefined, undefined, 'account'])
})

it('limits attempts from the networks of one IPv6 site together', () => {
  const limits = createSignInLimits(new ManualClock())
  const attempt = (index: number) => ({
    account: `user-${index}@example.com`,
    isKnownDevice: false,
    ip: `2001:db8:1:${index.toString(16)}::1`,
  })
  for (const index of range(240)) expect(limits.consume(attempt(index))).toBeUndefined()
  expect(limits.consume(attempt(240))).toBe('network')
  expect(limits.consume({ ...attempt(241), ip: '2001:db8:2::1' })).toBeUndefined()
})

it("doesn't count successful attempts", () => {
  const limits = createSignInLimits(new ManualClock())
  for (const index of range(300)) {
    const attempt = { ...stranger, ip: '203.0.113.1', account: `user-${index % 3}@example.com` }
    expect(limits.consume(attempt)).toBeUndefined()
    limits.succeed(attempt)
  }
})
