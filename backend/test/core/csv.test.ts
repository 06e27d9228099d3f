import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { formatCsvRecord } from '../../core/csv.ts'

/** Reads CSV as RFC 4180 writes it. */
function readCsv(text: string): string[][] {
  const records: string[][] = [[]]
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (const [, quoted, plain, end] of text.matchAll(field)) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') records.push([])
  }
  expect(records.pop()).toEqual([])
  return records
}

const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '＝', '\t', '\r', '\n', '"', ',', "'", 'a', ' ') }),
)

it('is read back as it was, but for an apostrophe before what would be a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 5 }), (records) => {
      const read = readCsv(records.map(formatCsvRecord).join(''))
      const isFormula = (text: string) => /^[=+\-@＝＋－＠]/.test(text.trimStart()) || /^[\t\r\n]/.test(text)
      const harmless = (text: string) => (isFormula(text) ? `'${text}` : text)
      expect(read).toEqual(records.map((cells) => cells.map(harmless)))
      for (const text of read.flat()) expect(isFormula(text)).toBe(false)
    }),
  )
})

it('quotes what needs it, doubles quotes, and ends lines with CR LF', () => {
  expect(formatCsvRecord(['Ann "A" Lee', 'a,b', '=1+1', '-5', 'plain'])).toBe(
    `"Ann ""A"" Lee","a,b",'=1+1,'-5,plain\r\n`,
  )
})

it('keeps a cell together where a semicolon or a tab separates cells, too', () => {
  expect(formatCsvRecord([';=1', 'a\t=1', 'a'])).toBe(`";=1","a\t=1",a\r\n`)
})
