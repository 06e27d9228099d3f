import { expect, it } from '@jest/globals'
import {
  type CallOutcome,
  CallOutcome as Outcomes,
  RetryOutcome,
  type RetryPolicy,
  TimeZone,
} from '@outdial/contract'
import fc from 'fast-check'
import { retryDelayMs, shouldRetry } from '../../dialer/retry-policy.ts'
import { shareCapacity } from '../../dialer/share-capacity.ts'
import { nextCallableAt } from '../../scheduling/calling-hours.ts'
import { timeZonesOfNumber } from '../../scheduling/time-zones.ts'

const policy: fc.Arbitrary<RetryPolicy> = fc.record({
  max_attempts: fc.integer({ min: 1, max: 10 }),
  delay_minutes: fc.integer({ min: 1, max: 1440 }),
  on: fc.subarray([...RetryOutcome.options]),
})
const outcome: fc.Arbitrary<CallOutcome> = fc.constantFrom(...Outcomes.options)

it('retries exactly the outcomes that the policy names, while attempts are left', () => {
  fc.assert(
    fc.property(policy, outcome, fc.integer({ min: 1, max: 12 }), (retry, ended, attempts) => {
      const named = (retry.on as string[]).includes(ended)
      const end = { outcome: ended, endedReason: 'line_failed' } as const
      expect(shouldRetry(retry, end, attempts)).toBe(named && attempts < retry.max_attempts)
    }),
  )
})

it('never dials again for a worker that was lost', () => {
  fc.assert(
    fc.property(policy, fc.integer({ min: 1, max: 9 }), (retry, attempts) => {
      expect(shouldRetry(retry, { outcome: 'failed', endedReason: 'worker_lost' }, attempts)).toBe(false)
    }),
  )
})

it('waits the delay of the policy, shortened by the speed of the line', () => {
  fc.assert(
    fc.property(policy, fc.integer({ min: 1, max: 10_000 }), (retry, speed) => {
      expect(retryDelayMs(retry, 1)).toBe(retry.delay_minutes * 60_000)
      expect(Math.abs(retryDelayMs(retry, speed) * speed - retry.delay_minutes * 60_000)).toBeLessThanOrEqual(
        speed,
      )
    }),
  )
})

const claimable = fc
  .array(
    fc.record({
      workspaceId: fc.integer({ min: 1, max: 4 }),
      free: fc.integer({ min: 0, max: 100 }),
      due: fc.integer({ min: 0, max: 50 }),
    }),
    { maxLength: 12 },
  )
  .map((campaigns) => campaigns.map((campaign, index) => ({ id: index + 1, ...campaign })))

it('deals out all the room that can be used, and no campaign more than it may take', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), claimable, (capacity, campaigns) => {
      const shares = shareCapacity(capacity, campaigns)
      for (const { id, free, due } of campaigns)
        expect(shares.get(id) ?? 0).toBeLessThanOrEqual(Math.min(free, due))
      const wanted = campaigns.reduce((total, { free, due }) => total + Math.min(free, due), 0)
      expect([...shares.values()].reduce((total, take) => total + take, 0)).toBe(Math.min(capacity, wanted))
    }),
  )
})

it('gives no workspace two calls more than another that would take more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), claimable, (capacity, campaigns) => {
      const shares = shareCapacity(capacity, campaigns)
      const of = (workspaceId: number) => campaigns.filter((campaign) => campaign.workspaceId === workspaceId)
      const taken = (id: number) =>
        of(id).reduce((total, campaign) => total + (shares.get(campaign.id) ?? 0), 0)
      const wanted = (id: number) => of(id).reduce((total, { free, due }) => total + Math.min(free, due), 0)
      for (const a of [1, 2, 3, 4])
        for (const b of [1, 2, 3, 4])
          if (taken(a) < wanted(a)) expect(taken(b) - taken(a)).toBeLessThanOrEqual(1)
    }),
  )
})

const weekdayHours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' } as const
const rules = { callingHours: { ...weekdayHours, days: [...weekdayHours.days] }, timeZone: 'Asia/Tokyo' }
const monday = new Date('2026-05-04T00:00:00Z')

it.each([
  ['+12025550100', ['America/New_York'], 'lies in one place'],
  ['+447911123456', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/London'], 'may lie in three'],
  ['+18005550100', [], 'is toll-free'],
  ['+88213000000', [], 'is a satellite phone'],
  ['+999', [], 'is no number'],
])('knows for %s the zones %j: it %s', async (phoneNumber, zones) => {
  expect(await timeZonesOfNumber(phoneNumber)).toEqual(zones)
})

it('takes the names of IANA for time zones, and no abbreviation that means several places', () => {
  const names = ['America/New_York', 'UTC', 'EST', 'US/Pacific', 'PST', 'BST', 'ist', '+02:00', 'Mars/Base']
  expect(names.filter((name) => TimeZone.safeParse(name).success)).toEqual(names.slice(0, 4))
})

it.each([
  ['the time zone of the contact', { phoneNumber: '+12025550100', timeZone: 'Europe/Berlin' }, '07:00'],
  ['the zone of the number', { phoneNumber: '+12025550100', timeZone: null }, '13:00'],
  [
    'the zone of the campaign for a toll-free number',
    { phoneNumber: '+18005550100', timeZone: null },
    '00:00',
  ],
])('calls by %s', async (_, callee, utc) => {
  expect(await nextCallableAt(rules, callee, monday)).toEqual(new Date(`2026-05-04T${utc}:00Z`))
})
