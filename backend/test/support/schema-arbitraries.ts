import fc from 'fast-check'
import type { ReadDocument, Schema } from './openapi-document.ts'

/** Values that mean something in the seeded workspace, by the name of their field. */
export type Known = Record<string, readonly unknown[]>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
const schemaAt = (schema: Schema, key: string): Schema => {
  const value = schema[key]
  return isSchema(value) ? value : {}
}
const numberAt = (schema: Schema, key: string, otherwise: number): number => {
  const value = schema[key]
  return typeof value === 'number' ? value : otherwise
}

/** Values that a schema of the document accepts. */
export function valuesOf(read: ReadDocument, schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const resolved = read.resolve(schema)
  if (Array.isArray(resolved.anyOf)) {
    return fc.oneof(...resolved.anyOf.filter(isSchema).map((option) => valuesOf(read, option, known)))
  }
  if (Array.isArray(resolved.enum)) return fc.constantFrom(...(resolved.enum as unknown[]))
  const types = Array.isArray(resolved.type) ? (resolved.type as unknown[]) : [resolved.type]
  return fc.oneof(...types.map((type) => ofType(read, type, resolved, known)))
}

function ofType(read: ReadDocument, type: unknown, schema: Schema, known: Known): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.maxSafeInteger().map((value) => clamp(value, schema))
    case 'string':
      return texts(schema)
    case 'array':
      return fc.array(valuesOf(read, schemaAt(schema, 'items'), known), {
        minLength: numberAt(schema, 'minItems', 0),
        maxLength: Math.min(numberAt(schema, 'maxItems', 5), 5),
      })
    case 'object':
      return objects(read, schema, known)
  }
  return fc.jsonValue()
}

const clamp = (value: number, schema: Schema): number =>
  Math.min(numberAt(schema, 'maximum', Infinity), Math.max(numberAt(schema, 'minimum', -Infinity), value))

function texts(schema: Schema): fc.Arbitrary<string> {
  const longest = Math.min(numberAt(schema, 'maxLength', 40), 40)
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  }
  if (schema.format === 'uri') return fc.webUrl({ validSchemes: ['https'] })
  if (schema.format === 'email') return fc.constant('someone@example.com')
  if (typeof schema.pattern === 'string')
    return fc.stringMatching(new RegExp(schema.pattern), { maxLength: longest })
  return fc.string({ unit: 'binary', minLength: numberAt(schema, 'minLength', 0), maxLength: longest })
}

function objects(read: ReadDocument, schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const properties = schemaAt(schema, 'properties')
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  if (Object.keys(properties).length === 0) {
    const names = valuesOf(read, schemaAt(schema, 'propertyNames'), known).map(String)
    return fc.dictionary(names, valuesOf(read, schemaAt(schema, 'additionalProperties'), known), {
      maxKeys: 4,
    })
  }
  const entries = Object.entries(properties).map(([name, property]) => {
    const values = valuesOf(read, isSchema(property) ? property : {}, known)
    return [name, withKnown(values, known[name])] as const
  })
  return fc.record(Object.fromEntries(entries), { requiredKeys: required })
}

/** Mostly values that lead somewhere: random ids find nothing. */
export const withKnown = (
  values: fc.Arbitrary<unknown>,
  known: readonly unknown[] = [],
): fc.Arbitrary<unknown> =>
  known.length === 0
    ? values
    : fc.oneof({ weight: 1, arbitrary: values }, { weight: 4, arbitrary: fc.constantFrom(...known) })

/** What a body may become on its way here. */
export function spoiled(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const spoil = fc.tuple(body, fc.nat(), fc.jsonValue(), fc.constantFrom('drop', 'replace', 'add', 'blank'))
  return fc.oneof(
    { weight: 4, arbitrary: spoil.map(([value, at, other, how]) => spoilField(value, at, other, how)) },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
}

function spoilField(value: unknown, at: number, other: unknown, how: string): unknown {
  if (!isSchema(value)) return other
  const names = Object.keys(value)
  const name = names[at % Math.max(1, names.length)] ?? 'none'
  if (how === 'add') return { ...value, [`extra_${at}`]: other }
  if (how === 'replace') return { ...value, [name]: other }
  if (how === 'blank') return { ...value, [name]: '' }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
