import fc from 'fast-check'
import type { ParsedDocument, Schema } from './openapi-document.ts'

/** Generates any Unicode character, like fast-check's unit `binary`, but without its character map, which takes 100 MB. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((index) => String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00))

/** Values that exist in the seeded workspace, by field name. */
export type KnownValues = Record<string, readonly unknown[]>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
const schemaAt = (schema: Schema, key: string): Schema => {
  const value = schema[key]
  return isSchema(value) ? value : {}
}
const numberAt = (schema: Schema, key: string, fallback: number): number => {
  const value = schema[key]
  return typeof value === 'number' ? value : fallback
}

/** Generates values that a schema of the OpenAPI document accepts. */
export function arbitraryFor(
  document: ParsedDocument,
  schema: Schema,
  known: KnownValues,
): fc.Arbitrary<unknown> {
  const resolved = document.resolve(schema)
  if (Array.isArray(resolved.anyOf)) {
    return fc.oneof(...resolved.anyOf.filter(isSchema).map((option) => arbitraryFor(document, option, known)))
  }
  if (Array.isArray(resolved.enum)) return fc.constantFrom(...(resolved.enum as unknown[]))
  const types = Array.isArray(resolved.type) ? (resolved.type as unknown[]) : [resolved.type]
  return fc.oneof(...types.map((type) => arbitraryOfType(document, type, resolved, known)))
}

function arbitraryOfType(
  document: ParsedDocument,
  type: unknown,
  schema: Schema,
  known: KnownValues,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.maxSafeInteger().map((value) => clamp(value, schema))
    case 'string':
      return stringArbitrary(schema)
    case 'array':
      return fc.array(arbitraryFor(document, schemaAt(schema, 'items'), known), {
        minLength: numberAt(schema, 'minItems', 0),
        maxLength: Math.min(numberAt(schema, 'maxItems', 5), 5),
      })
    case 'object':
      return objectArbitrary(document, schema, known)
  }
  return fc.jsonValue()
}

const clamp = (value: number, schema: Schema): number =>
  Math.min(numberAt(schema, 'maximum', Infinity), Math.max(numberAt(schema, 'minimum', -Infinity), value))

function stringArbitrary(schema: Schema): fc.Arbitrary<string> {
  const maxLength = Math.min(numberAt(schema, 'maxLength', 40), 40)
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  }
  if (schema.format === 'uri') return fc.webUrl({ validSchemes: ['https'] })
  if (schema.format === 'email') return fc.constant('someone@example.com')
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern), { maxLength })
  return fc.string({ unit: anyCharacter, minLength: numberAt(schema, 'minLength', 0), maxLength })
}

function objectArbitrary(
  document: ParsedDocument,
  schema: Schema,
  known: KnownValues,
): fc.Arbitrary<unknown> {
  const properties = schemaAt(schema, 'properties')
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  if (Object.keys(properties).length === 0) {
    const names = arbitraryFor(document, schemaAt(schema, 'propertyNames'), known).map(String)
    return fc.dictionary(names, arbitraryFor(document, schemaAt(schema, 'additionalProperties'), known), {
      maxKeys: 4,
    })
  }
  const entries = Object.entries(properties).map(([name, property]) => {
    const values = arbitraryFor(document, isSchema(property) ? property : {}, known)
    return [name, withKnownValues(values, known[name])] as const
  })
  return fc.record(Object.fromEntries(entries), { requiredKeys: required })
}

/** Generates mostly known values. Random IDs would almost never exist. */
export const withKnownValues = (
  values: fc.Arbitrary<unknown>,
  known: readonly unknown[] = [],
): fc.Arbitrary<unknown> =>
  known.length === 0
    ? values
    : fc.oneof({ weight: 1, arbitrary: values }, { weight: 4, arbitrary: fc.constantFrom(...known) })

/** Generates corrupted bodies, with a missing, changed, unknown, or blank field, and arbitrary JSON. */
export function corruptedBody(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const corruption = fc.tuple(
    body,
    fc.nat(),
    fc.jsonValue(),
    fc.constantFrom('drop', 'replace', 'add', 'blank'),
  )
  return fc.oneof(
    {
      weight: 4,
      arbitrary: corruption.map(([value, at, other, mode]) => corruptField(value, at, other, mode)),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
}

function corruptField(value: unknown, at: number, other: unknown, mode: string): unknown {
  if (!isSchema(value)) return other
  const names = Object.keys(value)
  const name = names[at % Math.max(1, names.length)] ?? 'none'
  if (mode === 'add') return { ...value, [`extra_${at}`]: other }
  if (mode === 'replace') return { ...value, [name]: other }
  if (mode === 'blank') return { ...value, [name]: '' }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
