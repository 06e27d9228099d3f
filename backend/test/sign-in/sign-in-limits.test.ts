import { expect, it } from '@jest/globals'
import { createSignInLimits } from '../../accounts/sign-in/attempt-limit.ts'
import { createLoneReplica } from '../../platform/replicas/replicas.ts'
import { ManualClock } from '../support/clock.ts'

const account = 'ada@example.com'
const stranger = { account, isKnownDevice: false }
const createLimits = (clock = new ManualClock()) =>
  createSignInLimits({ clock, replicas: createLoneReplica() })
const range = (length: number) => Array.from({ length }, (_, index) => index)

it('limits sign-in attempts on an account from unknown browsers to 250 an hour in total, but not those from a known browser', async () => {
  const clock = new ManualClock()
  const limits = createLimits(clock)
  for (const index of range(250)) {
    expect(await limits.consume({ ...stranger, ip: `203.0.113.${index}` })).toBeUndefined()
  }
  expect(await limits.consume({ ...stranger, ip: '198.51.100.1' })).toBe('account')
  expect(await limits.consume({ account, isKnownDevice: true, ip: '198.51.100.1' })).toBeUndefined()
  expect(
    await limits.consume({ ...stranger, account: 'other@example.com', ip: '198.51.100.1' }),
  ).toBeUndefined()
  clock.advance(60 * 60_000)
  expect(await limits.consume({ ...stranger, ip: '198.51.100.1' })).toBeUndefined()
})

it('no matter how often strangers at five addresses try an account, allows three attempts from another network', async () => {
  const clock = new ManualClock()
  const limits = createLimits(clock)
  const attempts = []
  for (const index of range(1100)) {
    attempts.push(await limits.consume({ ...stranger, ip: `203.0.113.${index % 5}` }))
    if (index % 100 === 99) clock.advance(5 * 60_000)
  }
  expect(attempts.filter((exceeded) => exceeded === undefined)).toHaveLength(50)
  const owner = { ...stranger, ip: '198.51.100.1' }
  const ownAttempts = []
  for (let count = 0; count < 4; count += 1) ownAttempts.push(await limits.consume(owner))
  expect(ownAttempts).toEqual([undefined, undefined, undefined, 'account'])
})

it('counts the attempts from all networks of an IPv6 site together, and blocks the site after 240', async () => {
  const limits = createLimits()
  const attempt = (index: number) => ({
    account: `user-${index}@example.com`,
    isKnownDevice: false,
    ip: `2001:db8:1:${index.toString(16)}::1`,
  })
  for (const index of range(240)) expect(await limits.consume(attempt(index))).toBeUndefined()
  expect(await limits.consume(attempt(240))).toBe('network')
  expect(await limits.consume({ ...attempt(241), ip: '2001:db8:2::1' })).toBeUndefined()
})

it("doesn't count successful attempts", async () => {
  const limits = createLimits()
  for (const index of range(300)) {
    const attempt = { ...stranger, ip: '203.0.113.1', account: `user-${index % 3}@example.com` }
    expect(await limits.consume(attempt)).toBeUndefined()
    await limits.succeed(attempt)
  }
})
