// cspell:ignore Juneteenth
import { describe, expect, it } from '@jest/globals'
import type { CallingHours } from '@outdial/contract'
import { type CallRules, noRequirements, noRules } from '../../queue/rules/call-rules.ts'
import { isStateHoliday } from '../../queue/rules/holidays.ts'
import { hoursByLaw } from '../../queue/rules/hours-by-law.ts'
import { planPermittedCall } from '../../queue/rules/plan-call.ts'
import { findWhyAllowed } from '../../queue/rules/why-allowed.ts'
import { areasByProvince, areasByState } from '../../queue/scheduling/area-codes.ts'

const always: CallingHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  start: '00:00',
  end: '24:00',
}
const byLaw: CallRules = { ...noRules, hoursByLaw: true }

/** Returns pairs of an area code and its state or province. */
const listAreaCodes = (areasByName: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(areasByName).flatMap(([name, areas]) =>
    areas.flatMap((area) => area.split(' ').map((areaCode) => [areaCode, name] as const)),
  )

interface PlanOptions {
  hours?: CallingHours
  timeZone?: string | null
  rules?: CallRules
  closedOnFederalHolidays?: boolean
}

const plan = (
  phoneNumber: string,
  from: string,
  { hours = always, timeZone = null, rules = byLaw, closedOnFederalHolidays = false }: PlanOptions = {},
) => {
  const requires = { ...noRequirements, closedOnFederalHolidays }
  const { at, never } = planPermittedCall(
    rules,
    { callingHours: hours, timeZone: 'America/New_York', requires },
    { phoneNumber, timeZone, consent: null, use: null },
    { from: new Date(from) },
  )
  return never === null ? at.toISOString() : 'never'
}

/** Plans a call that became due before `from`, in a campaign with hours from 9 AM to 5 PM in New York. */
const planLate = (dueAt: string, from: string, rules = byLaw) =>
  planPermittedCall(
    rules,
    {
      callingHours: { ...always, start: '09:00', end: '17:00' },
      timeZone: 'America/New_York',
      requires: noRequirements,
    },
    { phoneNumber: newYork, timeZone: null, consent: null, use: null },
    { from: new Date(from), dueAt: new Date(dueAt) },
  )

const newYork = '+12125550100'
const miami = '+13055550100'
const mobile = '+12515550100' // Mobile, Alabama
const louisville = '+15025550100'
const newOrleans = '+15045550100'

describe('a delayed call', () => {
  it.each(['2026-05-12T04:00Z', '2026-05-12T10:59Z', '2026-05-20T03:00Z'])(
    'if it was delayed until %s, expires instead of ending as never permitted',
    (from) => {
      const { never, at } = planLate('2026-05-05T11:00Z', from)

      expect(never).toBeNull()
      expect(at.getTime()).toBeGreaterThan(Date.parse('2026-05-12T11:00Z'))
      expect(at.getTime()).toBeGreaterThan(Date.parse(from))
    },
  )

  it('is placed in the last permitted hour before it expires', () => {
    expect(planLate('2026-05-05T14:00Z', '2026-05-12T04:00Z').at).toEqual(new Date('2026-05-12T13:00Z'))
  })

  it('ends as never permitted if it never had a permitted hour', () => {
    const days = Array.from({ length: 9 }, (_, index) => `2026-05-${String(index + 5).padStart(2, '0')}`)
    const rules = { ...noRules, closedDates: days }

    expect(planLate('2026-05-05T11:00Z', '2026-05-08T11:00Z', rules).never).toBe('no_permitted_hour')
  })
})

describe('hours by law', () => {
  it.each([
    ['from 8 AM to 9 PM in New York', newYork, '2026-05-06T00:59Z', '2026-05-06T00:59:00.000Z'],
    [
      'over at 9 PM in New York, so that a call waits until the next morning',
      newYork,
      '2026-05-06T01:00Z',
      '2026-05-06T12:00:00.000Z',
    ],
    ['over at 8 PM in Florida', miami, '2026-05-06T00:00Z', '2026-05-06T12:00:00.000Z'],
    ['not before 10 AM in Kentucky', louisville, '2026-05-06T13:00Z', '2026-05-06T14:00:00.000Z'],
    ['not on Sundays in Alabama', mobile, '2026-05-10T15:00Z', '2026-05-11T13:00:00.000Z'],
    [
      'all hours of the day outside of the United States',
      '+493090182012',
      '2026-05-06T02:00Z',
      '2026-05-06T02:00:00.000Z',
    ],
    ['all hours of the day in Canada', '+14165550100', '2026-05-06T05:00Z', '2026-05-06T05:00:00.000Z'],
  ])('are %s', (_, phoneNumber, from, at) => {
    expect(plan(phoneNumber, from)).toBe(at)
  })

  it("also apply in the contact's own time zone", () => {
    // 8 AM in New York, 5 AM in Los Angeles
    expect(plan(newYork, '2026-05-06T12:00Z', { timeZone: 'America/Los_Angeles' })).toBe(
      '2026-05-06T15:00:00.000Z',
    )
  })

  it('of every state apply to a toll-free number', () => {
    expect(plan('+18005550100', '2026-05-06T12:00Z')).toBe('2026-05-06T14:00:00.000Z')
    expect(plan('+18005550100', '2026-05-10T16:00Z')).toBe('2026-05-11T14:00:00.000Z')
  })

  it('never allow a call if the campaign has no hour in common with them', () => {
    const late = { ...always, start: '20:00', end: '22:00' }
    expect(plan(newYork, '2026-05-06T12:00Z', { hours: late })).toBe('2026-05-07T00:00:00.000Z')
    expect(plan(miami, '2026-05-06T12:00Z', { hours: late })).toBe('never')
    const sundays = { ...always, days: ['sun'] } as CallingHours
    expect(plan(mobile, '2026-05-06T12:00Z', { hours: sundays })).toBe('never')
  })

  it.each(listAreaCodes(areasByState))(
    'that apply to area code %s are the federal hours and any narrower hours of %s',
    (areaCode, state) => {
      const isNarrower = ['Alabama', 'Florida', 'Kentucky', 'Louisiana'].includes(state)
      expect(hoursByLaw(`+1${areaCode}5550100`)).toHaveLength(isNarrower ? 2 : 1)
    },
  )

  it.each(listAreaCodes(areasByProvince))("don't apply to area code %s in %s", (areaCode) => {
    expect(hoursByLaw(`+1${areaCode}5550100`)).toEqual([])
  })
})

describe('closed days', () => {
  const rules = { ...noRules, closedDates: ['2026-05-06'] }

  it("are skipped according to the contact's local date", () => {
    // May 5, 11 PM in New York; then May 6
    expect(plan(newYork, '2026-05-06T03:00Z', { rules })).toBe('2026-05-06T03:00:00.000Z')
    expect(plan(newYork, '2026-05-06T04:00Z', { rules })).toBe('2026-05-07T04:00:00.000Z')
    expect(plan('+493090182012', '2026-05-05T22:00Z', { rules })).toBe('2026-05-06T22:00:00.000Z')
  })

  it('delay a call until the next calling hours after them', () => {
    const hours = { ...always, start: '09:00', end: '17:00' }
    expect(plan(newYork, '2026-05-05T22:00Z', { rules, hours })).toBe('2026-05-07T13:00:00.000Z')
  })

  it('allow no call if every day within a week is closed', () => {
    const closedDates = Array.from({ length: 9 }, (_, day) => `2026-05-${String(day + 5).padStart(2, '0')}`)
    expect(plan(newYork, '2026-05-06T04:00Z', { rules: { ...rules, closedDates } })).toBe('never')
  })
})

describe('holidays', () => {
  it.each([
    ['Christmas in Alabama', mobile, '2026-12-25T15:00Z', '2026-12-26T14:00:00.000Z'],
    ['Mardi Gras in Alabama', mobile, '2027-02-09T15:00Z', '2027-02-10T14:00:00.000Z'],
    ['Confederate Memorial Day in Alabama', mobile, '2026-04-27T15:00Z', '2026-04-28T13:00:00.000Z'],
    ['Good Friday in Louisiana', newOrleans, '2026-04-03T15:00Z', '2026-04-04T13:00:00.000Z'],
    [
      "All Saints' Day in Louisiana, a Sunday, the Monday after, and election day",
      newOrleans,
      '2026-11-01T15:00Z',
      '2026-11-04T14:00:00.000Z',
    ],
    [
      'not on November 2 of a year without an election, in Louisiana',
      newOrleans,
      '2027-11-02T15:00Z',
      '2027-11-02T15:00:00.000Z',
    ],
    [
      'the Friday before Independence Day on a Saturday, in Louisiana',
      newOrleans,
      '2026-07-03T15:00Z',
      '2026-07-06T13:00:00.000Z',
    ],
    [
      'Confederate Memorial Day for a toll-free number, which has the holidays of every state',
      '+18005550100',
      '2026-04-27T15:00Z',
      '2026-04-28T14:00:00.000Z',
    ],
    ['not on Christmas in New York', newYork, '2026-12-25T15:00Z', '2026-12-25T15:00:00.000Z'],
  ])("delays a call only on a holiday of the number's state: %s", (_name, number, from, at) => {
    expect(plan(number, from)).toBe(at)
  })

  it.each([
    [
      "New Year's Day of the next year, observed on a Friday",
      '2027-12-31T15:00Z',
      '2028-01-02T05:00:00.000Z',
    ],
    ['Martin Luther King Day', '2027-01-18T15:00Z', '2027-01-19T05:00:00.000Z'],
    ['Memorial Day', '2026-05-25T15:00Z', '2026-05-26T04:00:00.000Z'],
    ['Juneteenth', '2026-06-19T15:00Z', '2026-06-20T04:00:00.000Z'],
    ['Thanksgiving Day', '2026-11-26T15:00Z', '2026-11-27T05:00:00.000Z'],
  ])('if the campaign is closed on federal holidays, delays a call until after %s', (_name, from, at) => {
    const closed = { rules: noRules, closedOnFederalHolidays: true }
    expect(plan(newYork, from, closed)).toBe(at)
    expect(plan(newYork, from, { rules: noRules })).toBe(new Date(from).toISOString())
  })

  // Easter Sundays of the almanac of the United States Naval Observatory.
  it.each(['2024-03-31', '2025-04-20', '2026-04-05', '2027-03-28', '2030-04-21', '2038-04-25'])(
    'finds Good Friday two days before Easter on %s',
    (easter) => {
      const friday = new Date(Date.parse(`${easter}T00:00Z`) - 2 * 86_400_000).toISOString().slice(0, 10)
      expect(isStateHoliday('Louisiana', friday)).toBe(true)
    },
  )
})

it('uses at most 100 bytes to store the reason why an attempt was allowed', () => {
  const now = new Date('2026-05-06T15:00Z')
  const placedAt = Array.from(
    { length: 10 },
    (_, hour) => `2026-05-06T${String(hour).padStart(2, '0')}:00:00.000Z`,
  )
  for (const [areaCode] of listAreaCodes({ ...areasByState, ...areasByProvince })) {
    const consent = { at: '2026-05-01T00:00:00.000Z', kind: 'written' as const }
    const callee = {
      phoneNumber: `+1${areaCode}5550100`,
      timeZone: null,
      consent,
      use: { placedAt, answeredAt: null },
    }
    const allowed = findWhyAllowed({ ...callee, isExempt: true }, { now, isCallback: true })
    expect(allowed).toMatchObject({ consent: 'written', attempts: 10 })
    expect(Buffer.byteLength(JSON.stringify(allowed))).toBeLessThanOrEqual(100)
  }
})
