import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { hasMoreValues } from '../../platform/core/count-values.ts'

const countParsed = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((count, child) => count + countParsed(child), 1)
    : 1

it.each([undefined, 2])(
  'in JSON with the indentation %s, counts as many values as the parsed JSON has',
  (indentation) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = Buffer.from(JSON.stringify(value, null, indentation))
        const count = countParsed(value)
        expect([hasMoreValues(bytes, count), hasMoreValues(bytes, count - 1)]).toEqual([false, true])
      }),
    )
  },
)

it.each([
  ['brackets in text', String.raw`["[,{", "\"[,", "\\", ","]`, 5],
  ['empty objects and lists', '[[], {}, [ ], { }]', 5],
  ['brackets that are never closed', '['.repeat(100), 100],
  ['an event with a quotation mark in another field', 'id: "\ndata: [1,\ndata: 2,3]\n', 4],
])('counts the values in an input that has %s', (_, text, count) => {
  const bytes = Buffer.from(text)
  expect([hasMoreValues(bytes, count), hasMoreValues(bytes, count - 1)]).toEqual([false, true])
})
