import type { OpenAPIV3_1 } from 'openapi-types'
import { formatCount } from '../../platform/views/format.ts'

export type Schema = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject

/** A field of a request, of a response, or of an object in one. */
export interface Field {
  /** The path of the field in its object, such as `consent.source` or `details[].code`. */
  name: string
  /** The type, such as `string or null`. If it has a capital letter, it's the name of an object that the document describes. */
  type: string
  /** The name of the object that the field contains, directly or as items of a list. Null if it contains none. */
  object: string | null
  isRequired: boolean
  description: string
  /** The values that the field can have, as JSON. Empty if it can have any. */
  values: readonly string[]
  /** The limits of the field's value, such as `at most 200 characters`. Empty if there are none. */
  limits: string
}

/** Lists the fields of an object. If a field contains an object without a name, that object's fields follow it. */
export function listFields(schema: Schema, path = ''): Field[] {
  if (isReference(schema)) return []
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = path === '' ? key : `${path}.${key}`
    const field = toField(name, property, schema.required?.includes(key) ?? false)
    const { value } = readNullable(property)
    const item = itemsOf(value)
    return [field, ...listFields(item ?? value, item === undefined ? name : `${name}[]`)]
  })
}

/** Describes a field or a parameter. */
export function toField(name: string, schema: Schema, isRequired: boolean): Field {
  const { value, isNullable, descriptions } = readNullable(schema)
  return {
    name,
    type: `${describeType(value)}${isNullable ? ' or null' : ''}`,
    object: objectNameOf(itemsOf(value) ?? value),
    isRequired,
    // Omits a description that an earlier one contains: a field's description often contains that of its type.
    description: descriptions
      .filter((text, index) => !descriptions.slice(0, index).some((before) => before.includes(text)))
      .join(' '),
    values: listValues(value),
    limits: describeLimits(value),
  }
}

/** Returns the name of the object that a schema refers to; null for a schema without a name. */
export const objectNameOf = (schema: Schema): string | null =>
  isReference(schema) ? (schema.$ref.split('/').at(-1) ?? null) : null

const isReference = (schema: Schema): schema is OpenAPIV3_1.ReferenceObject => '$ref' in schema

const itemsOf = (schema: Schema): Schema | undefined =>
  !isReference(schema) && 'items' in schema ? schema.items : undefined

/** Separates a value from null, and collects the descriptions of both. */
function readNullable(schema: Schema): { value: Schema; isNullable: boolean; descriptions: string[] } {
  const descriptions = schema.description === undefined ? [] : [schema.description]
  if (isReference(schema)) return { value: schema, isNullable: false, descriptions }
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const [type = 'string'] = schema.type.filter((each) => each !== 'null')
    return { value: { ...schema, type } as Schema, isNullable: true, descriptions }
  }
  const choices = schema.anyOf?.filter((choice) => isReference(choice) || choice.type !== 'null') ?? []
  const [only] = choices
  if (only === undefined || choices.length > 1)
    return { value: schema, isNullable: choices.length < (schema.anyOf?.length ?? 0), descriptions }
  const inner = readNullable(only)
  return {
    value: inner.value,
    isNullable: inner.isNullable || choices.length < (schema.anyOf?.length ?? 0),
    descriptions: [...descriptions, ...inner.descriptions],
  }
}

function describeType(schema: Schema): string {
  if (isReference(schema)) return objectNameOf(schema) ?? 'object'
  const items = itemsOf(schema)
  if (items !== undefined) return `${describeType(readNullable(items).value)}[]`
  if (schema.anyOf !== undefined)
    return schema.anyOf.flatMap((one) => describeType(readNullable(one).value)).join(' or ')
  const type = typeof schema.type === 'string' ? schema.type : 'object'
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

function listValues(schema: Schema): string[] {
  const one = itemsOf(schema) ?? schema
  if (isReference(one)) return []
  // The cast adds `const`, because the package has only the type of OpenAPI 3.0 here, which lacks it.
  const { const: only } = one as { const?: unknown }
  const values: unknown[] = one.enum ?? (only === undefined ? [] : [only])
  return values.map((value) => JSON.stringify(value))
}

function describeLimits(schema: Schema): string {
  if (isReference(schema)) return ''
  const { maxLength, minimum, maximum } = schema
  const usual: unknown = schema.default
  const { minItems, maxItems } = schema as { minItems?: number; maxItems?: number }
  const limits = [
    maxLength !== undefined && `at most ${formatCount(maxLength)} characters`,
    describeRange(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum),
    maxItems !== undefined && `${describeRange(minItems, maxItems)} items`,
    usual !== undefined && `default ${JSON.stringify(usual)}`,
  ]
  return limits.filter((limit) => limit !== false && limit !== '').join(', ')
}

function describeRange(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return least === undefined || least <= 1 ? '' : `at least ${formatCount(least)}`
  return least === undefined
    ? `at most ${formatCount(most)}`
    : `${formatCount(least)} to ${formatCount(most)}`
}
