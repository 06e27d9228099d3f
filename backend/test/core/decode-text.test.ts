import { expect, it } from '@jest/globals'
import { decodeFile, decodeText } from '../../platform/core/decode-text.ts'

const bad = Buffer.from([0xff])
const withBad = (text: string, count: number) =>
  Buffer.concat([Buffer.from(text), ...Array.from({ length: count }, () => bad)])

it.each([
  ['one bad byte and two characters', 'üé', 1],
  ['one bad byte at the end of many characters', 'ü'.repeat(500), 1],
  ['1% bad bytes', 'ü'.repeat(297), 3],
])('reads damaged UTF-8 with %s, and marks the damaged characters', (_, text, count) => {
  expect(decodeFile(withBad(text, count))).toEqual({ text: text + '\uFFFD'.repeat(count), encoding: 'utf-8' })
})

it.each([
  ['only bad bytes', '', 2],
  ['as many bad bytes as characters', 'ü', 1],
  ['two bad bytes in a short text', 'üéö', 2],
  ['more than 1% bad bytes', 'ü'.repeat(296), 4],
])('reads a text with %s as Windows-1252', (_, text, count) => {
  const bytes = withBad(text, count)
  expect(decodeFile(bytes)).toEqual({
    text: bytes.toString('latin1').replaceAll('\u0083', 'ƒ'),
    encoding: 'windows-1252',
  })
})

it('if a damaged text declares a known encoding, reads the text in that encoding', () => {
  const bytes = withBad('üé', 1)
  expect(decodeText(bytes, 'iso-8859-2')).toBe('ĂźĂŠ˙')
  expect(decodeText(bytes, 'unknown')).toBe('üé\uFFFD')
})
