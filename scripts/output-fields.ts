import type { PlainOutputField } from 'zapier-platform-core'
import * as z from 'zod'
import { toTitleCase } from '../src/title-case.ts'

type Schema = z.core.JSONSchema.BaseSchema

/**
 * Returns the fields of a response with keys in Zapier's notation: `a__b` for a nested object, `a[]b` for a list of objects.
 * Leaves out dictionaries whose keys users choose.
 *
 * @param labels in sentence case, by path: `contact.first_name`
 */
export function toOutputFields(
  responseSchema: z.ZodType,
  labels: Partial<Record<string, string>>,
): PlainOutputField[] {
  const document: Schema = z.toJSONSchema(responseSchema, { io: 'output' })
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.replace('#/$defs/', '')
    const found = name === undefined ? schema : document.$defs?.[name]
    if (found === undefined) throw new Error(`${schema.$ref} is not in the document`)
    const [present] =
      found.anyOf?.filter((candidate) => typeof candidate === 'object' && candidate.type !== 'null') ?? []
    if (present !== undefined) return resolve(asSchema(present))
    const [type] = [found.type ?? []].flat().filter((candidate) => candidate !== 'null')
    return { ...found, type }
  }

  const toLabel = (path: string[]): string => {
    const label = labels[path.join('.')]
    if (label === undefined) throw new Error(`contract/field-texts.ts has no label for ${path.join('.')}`)
    return toTitleCase(label)
  }

  const collectFields = (schema: Schema, key: string, path: string[]): PlainOutputField[] => {
    const { type, format, properties, items } = resolve(schema)
    if (type === 'array') {
      const item = items === undefined || Array.isArray(items) ? undefined : resolve(asSchema(items))
      if (item?.type === 'object') return collectProperties(item, `${key}[]`, path)
      return [{ key, label: toLabel(path), type: fieldType(item?.type, item?.format), list: true }]
    }
    if (type === 'object')
      return properties === undefined ? [] : collectProperties({ properties }, `${key}__`, path)
    return [{ key, label: toLabel(path), type: fieldType(type, format) }]
  }

  const collectProperties = (schema: Schema, prefix: string, path: string[]): PlainOutputField[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      collectFields(asSchema(property), `${prefix}${name}`, [...path, name]),
    )

  return collectProperties(resolve(document), '', []).map((field) =>
    field.key === 'id' ? { ...field, primary: true } : field,
  )
}

const asSchema = (schema: Schema | boolean): Schema => (typeof schema === 'boolean' ? {} : schema)

function fieldType(type: Schema['type'], format: string | undefined): PlainOutputField['type'] {
  if (format === 'date-time') return 'datetime'
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  return 'string'
}
