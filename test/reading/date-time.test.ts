// cspell:ignore akdt AKST
import { expect, it } from '@jest/globals'
import { isSkipped, readDateTime, toMoment } from '../../reading/date-time.ts'
import { dateCases } from './cases/dates.ts'

function readMoment(text: string, timeZone: string): string | undefined {
  const typed = readDateTime(text)
  return typed && new Date(toMoment(typed, timeZone)).toISOString()
}

it.each(dateCases)('reads %j in the time zone %s as %p', (text, timeZone, moment) => {
  expect(readMoment(text, timeZone)).toBe(moment)
})

it.each(
  ['Jan', 'February', 'mar', 'April', 'May', 'june', 'Jul', 'August', 'Sept', 'Oct', 'November', 'Dec'].map(
    (name, index) => [name, `2026-${String(index + 1).padStart(2, '0')}-09T12:00:00.000Z`],
  ),
)('reads the month %s before and after the day', (name, expected) => {
  for (const date of [
    `${name} 9, 2026`,
    `9 ${name} 2026`,
    `Fri, ${name}. 9th 2026`,
    `Friday 9. ${name} 2026`,
  ])
    expect(readMoment(`${date} 12:00 UTC`, 'America/New_York')).toBe(expected)
})

it.each([
  ['Z', 0],
  ['GMT', 0],
  ['EST', 5],
  ['EDT', 4],
  ['cst', 6],
  ['CDT', 5],
  ['MST', 7],
  ['MDT', 6],
  ['PST', 8],
  ['PDT', 7],
  ['ET', 4],
  ['CT', 5],
  ['MT', 6],
  ['PT', 7],
  ['AKST', 9],
  ['akdt', 8],
  ['HST', 10],
  ['-04:30', 4.5],
  ['+02:00', -2],
])('reads the time zone %s', (zone, hours) => {
  const expected = new Date(Date.UTC(2026, 4, 4, 1, 59, 59) + hours * 3_600_000).toISOString()
  for (const time of [`1:59:59 ${zone}`, `1:59:59 AM ${zone}`])
    expect(readMoment(`2026-5-4 ${time}`, 'Asia/Tokyo')).toBe(expected)
})

it.each([
  ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
])(
  'reads %s in %s, which daylight saving time skips, as one hour later, and reports the skip',
  (text, timeZone, moment) => {
    expect(readMoment(text, timeZone)).toBe(moment)
    expect(['', ' UTC', ' +1d'].map((end) => isSkipped(read(text + end), timeZone))).toEqual([
      true,
      false,
      false,
    ])
  },
)

it('reports whether the text has a time and a time zone', () => {
  expect(read('2026-05-04')).toMatchObject({ hasTime: false, offset: undefined })
  expect(read('2026-05-04 00:00')).toMatchObject({ hasTime: true, offset: undefined })
  expect(read('2026-05-04 00:00 EST')).toMatchObject({ hasTime: true, offset: -5 * 3_600_000 })
  expect(read('1777883400')).toMatchObject({ hasTime: true, offset: 0 })
})

it('rejects a text of more than 200 characters', () => {
  expect(readDateTime(`2026-05-04${' '.repeat(191)}`)).toBeUndefined()
})

function read(text: string) {
  const typed = readDateTime(text)
  if (typed === undefined) throw new Error(`can't read ${text}`)
  return typed
}
