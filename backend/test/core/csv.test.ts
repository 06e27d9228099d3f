import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { cleanCell, formatCsvRecord } from '../../platform/core/csv.ts'

/** Parses CSV according to RFC 4180. */
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

it('writes cells so that parsing returns them unchanged, except for an apostrophe before each formula', () => {
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

it('when a cell is read back, removes the apostrophe that was added before a formula', () => {
  fc.assert(
    fc.property(cell, (text) => {
      // Skips texts that start with an apostrophe: it can't be distinguished from an apostrophe that the export adds.
      fc.pre(!text.trim().startsWith("'"))
      expect(cleanCell(readCsv(formatCsvRecord([text]))[0]?.[0] ?? '')).toBe(text.trim())
    }),
    { examples: [['\r'], ['\t'], [' =1'], ['＝1']] },
  )
})

it('quotes cells that contain commas or quotation marks, doubles the marks, and ends lines with CR LF', () => {
  expect(formatCsvRecord(['Ann "A" Lee', 'a,b', '=1+1', '-5', 'plain'])).toBe(
    `"Ann ""A"" Lee","a,b",'=1+1,'-5,plain\r\n`,
  )
})

it('quotes cells with semicolons or tabs', () => {
  expect(formatCsvRecord([';=1', 'a\t=1', 'a'])).toBe(`";=1","a\t=1",a\r\n`)
})
