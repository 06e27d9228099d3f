import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { parsePhone, parsePhones } from '../../platform/core/phone.ts'
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
  ['p:+12025550100', 'DE'],
  ["'+12025550100", 'DE'],
  ['="12025550100"', 'US'],
  ['="+12025550100"', 'DE'],
  ['12025550100.0', 'US'],
  ['  +12025550100\n', 'DE'],
])('parses %j with the country %s as +12025550100', (input, country) => {
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
  ['0044 20 7946 0018', 'US', '+442079460018'],
  ['00442079460018', 'US', '+442079460018'],
  ['+521 55 1234 5678', 'US', '+525512345678'],
  ['+52 1 55 1234 5678', 'MX', '+525512345678'],
])('parses %j with the country %s as %s', (input, country, expected) => {
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
])('rejects %j as a phone number', (input) => {
  expect(e164(input)).toBe('invalid_phone_number')
})

it.each(['+1 202 555 0100 x12', '202-555-0100 ext. 12', 'tel:+1-202-555-0100;ext=12'])(
  'rejects the extension in %j',
  (input) => {
    expect(e164(input)).toBe('phone_number_extension')
  },
)

const several = [
  ['+12025550100, +12025550103', '+12025550100 +12025550103'],
  ['202-555-0100/202-555-0103', '+12025550100 +12025550103'],
  ['2025550100;2025550103', '+12025550100 +12025550103'],
  ['2025550100-2025550103', '+12025550100 +12025550103'],
  ['2025550100,2025550103', '+12025550100 +12025550103'],
  ['2025550100\n2025550103', '+12025550100 +12025550103'],
  ['["+12025550100","+12025550103"]', '+12025550100 +12025550103'],
  ['Home: 202-555-0100 x5, Work: 202-555-0103 x7', '+12025550100 +12025550103'],
  ['+1 202 555 0100 (mobile), 0044 20 7946 0018 (office)', '+12025550100 +442079460018'],
] as const

it.each(several.map(([input]) => input))('says that %j is more than one number', (input) => {
  expect(parsePhone(input, 'US')).toMatchObject({
    issue: { code: 'invalid_phone_number', message: expect.stringMatching(/Enter only one phone number\.$/) },
  })
})

const findAll = (input: string) => {
  const parsed = parsePhones(input, 'US')
  return parsed.ok ? parsed.phoneNumbers.join(' ') : parsed.issue.message
}

it.each([
  ...several,
  ['(202) 555-0197 ext 5', '+12025550197'],
  ['tel:+1-202-555-0197;ext=4', '+12025550197'],
  ['2025550197,,4', '+12025550197'],
  ['p:+12025550197', '+12025550197'],
  ['0044 20 7946 0018', '+442079460018'],
  ['Mobile: (202) 555-0197', '+12025550197'],
  ['https://wa.me/12025550197', '+12025550197'],
  ['+1 (202) 555-0197 <tel:+12025550197>', '+12025550197'],
  ['+1 900 555 0100', '+19005550100'],
  ['+52 (1) 55 1234 5678', '+525512345678'],
  ['12025550100.0, 12025550103.0', '+12025550100 +12025550103'],
  ['tel:+12025550100;tel:+12025550103', '+12025550100 +12025550103'],
  ['Tel: 2025550100; Fax: 2025550103', '+12025550100 +12025550103'],
  ['202/555-0100, 202/555-0103', '+12025550100 +12025550103'],
  ['0093701234567\n0097517123456', '+93701234567 +97517123456'],
  ['202 555 0100 202 555 0103', '+12025550100 +12025550103'],
  ['2025550130-2025550131', '+12025550130 +12025550131'],
  ['2025550130-2025550131-2025550132', '+12025550130 +12025550131 +12025550132'],
  ['2025550130--2025550131', '+12025550130 +12025550131'],
  ['12025550130-12025550131', '+12025550130 +12025550131'],
  ['+12025550130-12025550131', '+12025550130 +12025550131'],
  ['202-555-0130-202-555-0131', '+12025550130 +12025550131'],
  ['Opted out: 2025550130-2025550131.', '+12025550130 +12025550131'],
  ['+1-202-555-0100', '+12025550100'],
  ['m2025550100', '+12025550100'],
  ['1. 2025550100 2. 2125550103', '+12025550100 +12125550103'],
  ['Opted out 2026-05-04 10:00 2025550100', '+12025550100'],
])('finds all numbers in %j for the do-not-call list', (input, expected) => {
  expect(findAll(input)).toBe(expected)
})

it.each([
  '',
  '555-0197',
  'n/a',
  '2026-11-26 10:30',
  'order 1234567890123',
  '01 00 12 34 56 78',
  '1234-5678-9012-3456',
  '1'.repeat(1_001),
])('finds no phone number in %j', (input) => {
  expect(findAll(input)).toBe(
    'No phone number was found. Include the country code, for example +1 202 555 0100.',
  )
})

it('separates numbers that are joined by hyphens, even if the numbers contain hyphens', () => {
  const find = (input: string, country: string | null) => parsePhones(input, country)
  expect(find('0412-345-678-0412-345-679', 'AU')).toMatchObject({
    phoneNumbers: ['+61412345678', '+61412345679'],
  })
  expect(find('0412-345-678', 'AU')).toMatchObject({ phoneNumbers: ['+61412345678'] })
  expect(find('+12025550130-+12025550131', null)).toMatchObject({
    phoneNumbers: ['+12025550130', '+12025550131'],
  })
  expect(find('+12025550130-2025550131', null)).toMatchObject({ phoneNumbers: ['+12025550130'] })
})

it('if the country is unknown, reads only numbers that have a country code', () => {
  expect(parsePhones('+12025550100, 2025550103', null)).toMatchObject({ phoneNumbers: ['+12025550100'] })
  expect(parsePhone('2025550100', null)).toMatchObject({ ok: false })
})

it('rejects ZZ as a country, because no country has this code', () => {
  expect(e164('202 555 0100', 'ZZ')).toBe('invalid_country')
})

/** Phone numbers that are reserved for fiction. */
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

it('returns a number in E.164 format unchanged, whatever the country', () => {
  fc.assert(
    fc.property(demoNumber, fc.constantFrom('US', 'DE', 'GB', 'JP', 'BR'), (number, country) => {
      expect(e164(`+1${number}`, country)).toBe(`+1${number}`)
    }),
  )
})

it('for any text, returns either a number in E.164 format or an error', () => {
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
