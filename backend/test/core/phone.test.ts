import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { parsePhone } from '../../core/phone.ts'
import { anyCharacter } from '../support/schema-arbitraries.ts'

const e164 = (input: string, country = 'US') => {
  const parsed = parsePhone(input, country)
  return parsed.ok ? parsed.phoneNumber : parsed.issue.code
}

it.each([
  ['+12025550100', 'US'],
  ['(202) 555-0100', 'US'],
  ['202.555.0100', 'US'],
  ['1 202 555 0100', 'US'],
  ['+1 (202) 555‑0100', 'DE'],
  ['tel:+1-202-555-0100', 'DE'],
  ['tel:202-555-0100;phone-context=+1', 'DE'],
  ['＋１ ２０２ ５５５ ０１００', 'DE'],
  ['٢٠٢٥٥٥٠١٠٠', 'US'],
  ['\u202a+1 202 555 0100\u202c', 'DE'],
  ['+1\u00a0202\u00a0555\u00a00100', 'DE'],
  ['00 1 202 555 0100', 'DE'],
  ['  +12025550100\n', 'DE'],
])('parses %j dialed in %s', (input, country) => {
  expect(e164(input, country)).toBe('+12025550100')
})

it.each([
  ['020 7946 0018', 'GB', '+442079460018'],
  ['+44 (0)20 7946 0018', 'US', '+442079460018'],
  ['011 44 20 7946 0018', 'US', '+442079460018'],
  ['06 12 34 56 78', 'FR', '+33612345678'],
  ['030 901820', 'DE', '+4930901820'],
  ['06 698 12345', 'IT', '+390669812345'],
  ['+800 1234 5678', 'US', '+80012345678'],
])('parses %j dialed in %s as %s', (input, country, expected) => {
  expect(e164(input, country)).toBe(expected)
})

it.each([
  '',
  '+',
  'Maya',
  '911',
  '555-0100',
  '+1 202 555',
  '+999 123 456 789',
  'call 202 555 0100',
  '202 555 0100 or 202 555 0101',
  '+12025550100, +12025550101',
  '+1202555010011',
  '1e10',
  '+49 0000000000',
])('rejects %j', (input) => {
  expect(e164(input)).toBe('invalid_phone_number')
})

it.each(['+1 202 555 0100 x12', '202-555-0100 ext. 12', 'tel:+1-202-555-0100;ext=12'])(
  'rejects the extension in %j',
  (input) => {
    expect(e164(input)).toBe('phone_number_extension')
  },
)

it('rejects a country without phone numbers', () => {
  expect(e164('202 555 0100', 'ZZ')).toBe('invalid_country')
})

/** Numbers of the range that is reserved for fiction. */
const demoNumber = fc
  .tuple(fc.constantFrom('202', '212', '303', '415', '512'), fc.integer({ min: 0, max: 99 }))
  .map(([area, last]) => `${area}55501${String(last).padStart(2, '0')}`)
const separator = fc.constantFrom('', ' ', '-', '.', '\u00a0', '‑', ' - ')
const digits = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit))),
)
const prefix = fc.constantFrom('', '+1', '1', '＋1', 'tel:+1')

it('parses every format of a number to the same result', () => {
  fc.assert(
    fc.property(demoNumber, separator, digits, prefix, (number, between, write, before) => {
      const national = [number.slice(0, 3), number.slice(3, 6), number.slice(6)].join(between)
      expect(e164(`${before}${between.trim()}${write(national)}`)).toBe(`+1${number}`)
    }),
  )
})

it('returns a number in E.164 unchanged, in any country', () => {
  fc.assert(
    fc.property(demoNumber, fc.constantFrom('US', 'DE', 'GB', 'JP', 'BR'), (number, country) => {
      expect(e164(`+1${number}`, country)).toBe(`+1${number}`)
    }),
  )
})

it('returns a number in E.164 or an error for any text', () => {
  const noise = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 64 }),
    fc.string({ unit: fc.constantFrom(...'0123456789+()-. x;tel:=,#*/\u200e'.split('')), maxLength: 40 }),
  )
  fc.assert(
    fc.property(noise, fc.constantFrom('US', 'DE', 'IT', 'AR', 'ZZ'), (text, country) => {
      const parsed = parsePhone(text, country)
      if (parsed.ok) expect(parsed.phoneNumber).toMatch(/^\+[1-9]\d{1,14}$/)
      else expect(parsed.issue.message).not.toBe('')
    }),
    { numRuns: 1000 },
  )
})
