import { describe, expect, it } from '@jest/globals'
import { type CallingHours, Weekday } from '@outdial/contract'
import fc from 'fast-check'
import { nextOpenAt } from '../../queue/scheduling/calling-hours.ts'

const weekdays = Weekday.options
const weekdayHours: CallingHours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' }
const nextCallableAt = (hours: CallingHours, zones: string[], from: string) =>
  nextOpenAt(hours, zones, new Date(from))?.toISOString()

describe('hours and days', () => {
  it('returns a time within calling hours unchanged, to the millisecond', () => {
    expect(nextCallableAt(weekdayHours, ['America/New_York'], '2026-05-04T15:00:00.123Z')).toBe(
      '2026-05-04T15:00:00.123Z',
    )
  })

  it('opens at the start of the hours and closes at their end', () => {
    expect(nextCallableAt(weekdayHours, ['America/New_York'], '2026-05-04T12:59:59.999Z')).toBe(
      '2026-05-04T13:00:00.000Z',
    )
    expect(nextCallableAt(weekdayHours, ['America/New_York'], '2026-05-04T20:59:59.999Z')).toBe(
      '2026-05-04T20:59:59.999Z',
    )
    expect(nextCallableAt(weekdayHours, ['America/New_York'], '2026-05-04T21:00:00Z')).toBe(
      '2026-05-05T13:00:00.000Z',
    )
  })

  it('skips the weekend', () => {
    expect(nextCallableAt(weekdayHours, ['Europe/Berlin'], '2026-05-01T15:00:00Z')).toBe(
      '2026-05-04T07:00:00.000Z',
    )
  })

  it('allows hours that end at 24:00', () => {
    const late: CallingHours = { days: ['mon'], start: '18:00', end: '24:00' }
    expect(nextCallableAt(late, ['UTC'], '2026-05-04T23:59:59.999Z')).toBe('2026-05-04T23:59:59.999Z')
    expect(nextCallableAt(late, ['UTC'], '2026-05-05T00:00:00Z')).toBe('2026-05-11T18:00:00.000Z')
  })

  it('counts hours past midnight as part of the day they start on', () => {
    const night: CallingHours = { days: ['fri'], start: '22:00', end: '02:00' }
    expect(nextCallableAt(night, ['UTC'], '2026-05-01T00:30:00Z')).toBe('2026-05-01T22:00:00.000Z')
    expect(nextCallableAt(night, ['UTC'], '2026-05-02T01:59:00Z')).toBe('2026-05-02T01:59:00.000Z')
    expect(nextCallableAt(night, ['UTC'], '2026-05-02T02:00:00Z')).toBe('2026-05-08T22:00:00.000Z')
  })
})

describe('clock changes', () => {
  it('if a clock change skips the start of the hours, opens right after the skipped time', () => {
    const early: CallingHours = { days: [...weekdays], start: '02:30', end: '04:00' }
    expect(nextCallableAt(early, ['America/New_York'], '2026-03-08T05:00:00Z')).toBe(
      '2026-03-08T07:00:00.000Z',
    )
  })

  it("doesn't open on a day when a clock change skips all of the hours", () => {
    const skippedHours: CallingHours = { days: ['sun'], start: '02:00', end: '03:00' }
    expect(nextCallableAt(skippedHours, ['America/New_York'], '2026-03-08T05:00:00Z')).toBe(
      '2026-03-15T06:00:00.000Z',
    )
  })

  it('opens twice if a clock change repeats the hours', () => {
    const repeatedHour: CallingHours = { days: ['sun'], start: '01:00', end: '01:30' }
    expect(nextCallableAt(repeatedHour, ['America/New_York'], '2026-11-01T04:00:00Z')).toBe(
      '2026-11-01T05:00:00.000Z',
    )
    expect(nextCallableAt(repeatedHour, ['America/New_York'], '2026-11-01T05:30:00Z')).toBe(
      '2026-11-01T06:00:00.000Z',
    )
  })
})

describe('multiple time zones', () => {
  it('calls a number with several possible time zones only within calling hours in all of them', () => {
    expect(
      nextCallableAt(weekdayHours, ['America/New_York', 'America/Los_Angeles'], '2026-05-04T13:00:00Z'),
    ).toBe('2026-05-04T16:00:00.000Z')
  })

  it("returns undefined if the time zones' calling hours never overlap", () => {
    const short: CallingHours = { days: ['mon'], start: '09:00', end: '10:00' }
    expect(nextCallableAt(short, ['Europe/Berlin', 'Asia/Tokyo'], '2026-05-04T00:00:00Z')).toBeUndefined()
  })
})

const minute = 60_000
/**
 * Finds the next opening by checking every minute's local time with Intl, which is slow, but independent of the tested code.
 */
function findByMinute(
  hours: CallingHours,
  zones: string[],
  from: number,
  untilMs: number,
): number | undefined {
  const clocks = zones.map(
    (timeZone) =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone,
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
  )
  const open = (at: number) =>
    clocks.every((clock) => {
      const part = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]))
      const time = `${part.hour}:${part.minute}`
      const day = weekdays.findIndex((name) => name === part.weekday?.toLowerCase())
      const on = (index: number) => hours.days.some((name) => name === weekdays[(index + 7) % 7])
      if (hours.start < hours.end) return on(day) && time >= hours.start && time < hours.end
      return (on(day) && time >= hours.start) || (on(day - 1) && time < hours.end)
    })
  for (let at = from; at <= untilMs; at = Math.floor(at / minute) * minute + minute) if (open(at)) return at
  return undefined
}

const timeOfDay = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 30, 45, 59))
  .map(([hour, past]) => `${String(hour).padStart(2, '0')}:${String(past).padStart(2, '0')}`)
const callingHours: fc.Arbitrary<CallingHours> = fc
  .record({
    days: fc.subarray([...weekdays], { minLength: 1 }),
    start: timeOfDay,
    end: fc.oneof(timeOfDay, fc.constant('24:00')),
  })
  .filter(({ start, end }) => start !== end)
// Includes half-hour zones, a half-hour clock change, clock changes at midnight, and the Southern Hemisphere.
const zone = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Katmandu',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Beirut',
  'Pacific/Kiritimati',
  'America/St_Johns',
)
// Times around the 2026 clock changes of these zones, and a time far from any clock change.
const moment = fc
  .tuple(
    fc.constantFrom(
      '2026-03-08',
      '2026-03-29',
      '2026-04-05',
      '2026-09-06',
      '2026-10-04',
      '2026-10-25',
      '2026-11-01',
      '2026-06-17',
    ),
    fc.integer({ min: -36 * 3600, max: 36 * 3600 }),
  )
  .map(([date, seconds]) => Date.parse(date) + seconds * 1000)

describe('arbitrary hours and time zones', () => {
  it('finds the same opening as a minute-by-minute search, in several time zones and around clock changes', () => {
    const day = 24 * 60 * minute
    fc.assert(
      fc.property(
        callingHours,
        fc.uniqueArray(zone, { minLength: 1, maxLength: 3 }),
        moment,
        (hours, zones, from) => {
          const found = nextOpenAt(hours, zones, new Date(from))?.getTime()
          const slow = findByMinute(hours, zones, from, from + 2 * day)
          if (slow !== undefined) expect(found).toBe(slow)
          if (slow === undefined && found !== undefined) expect(found).toBeGreaterThan(from + 2 * day)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('returns the same opening for any time up to the opening', () => {
    fc.assert(
      fc.property(callingHours, zone, moment, (hours, contactZone, from) => {
        const found = nextOpenAt(hours, [contactZone], new Date(from))
        expect(found).toBeDefined()
        if (found === undefined) return
        const between = new Date(from + (found.getTime() - from) / 2)
        expect(nextOpenAt(hours, [contactZone], between)).toEqual(found)
        expect(nextOpenAt(hours, [contactZone], found)).toEqual(found)
      }),
      { numRuns: 200 },
    )
  })
})
