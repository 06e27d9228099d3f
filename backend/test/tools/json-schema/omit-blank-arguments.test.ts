import { expect, it } from '@jest/globals'
import { omitBlankArguments } from '../../../tools/json-schema/omit-blank-arguments.ts'

const text = { $ref: '#/$defs/text' }
const $defs = {
  address: { type: 'object' },
  text: { type: 'string', minLength: 1 },
  'a/b~c': { type: 'integer' },
  endless: { $ref: '#/$defs/endless' },
  wide: { anyOf: Array.from({ length: 1_000 }, () => ({ $ref: '#/$defs/wide' })) },
}
const omits = (property: unknown, value: unknown): boolean => {
  const schema = { type: 'object', properties: { name: property }, $defs }
  return !('name' in omitBlankArguments(schema, { name: value }))
}

it.each([
  { const: 'x' },
  { $ref: '#/$defs/address' },
  { $ref: '#/$defs/a~1b~0c' },
  { oneOf: [{ $ref: '#/$defs/address' }, text] },
  { anyOf: [{ $ref: '#/$defs/address' }, text] },
  { allOf: [{ title: 'Name' }, text] },
])('omits an argument with the schema %j if the value is null or empty text', (property) => {
  expect([omits(property, null), omits(property, '')]).toEqual([true, true])
})

it.each([
  { const: null },
  { oneOf: [text, { type: 'null' }] },
  { allOf: [{ type: ['string', 'null'] }, { minLength: 1 }] },
  { format: 'email' },
  { format: 'date-time' },
  { pattern: '^[A-Z]{2}$' },
])("omits an argument with the schema %j if the value is empty text, but not if it's null", (property) => {
  expect([omits(property, null), omits(property, '')]).toEqual([false, true])
})

it.each([
  {},
  { $ref: '#/$defs/missing' },
  { $ref: 'https://example.com/schema' },
  { $ref: '#/$defs/endless' },
  { $ref: '#/$defs/wide' },
  { format: 'uri-reference' },
  { format: 'unknown' },
  { pattern: '^[A-Z]*$' },
  { pattern: '(x+x+)+y' },
])("doesn't omit an argument with the schema %j even if the value is null or empty text", (property) => {
  expect([omits(property, null), omits(property, '')]).toEqual([false, false])
})
