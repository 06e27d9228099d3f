import * as z from 'zod'
import type { PlainOutputField } from 'zapier-platform-core'
import { titleCase } from '../src/title-case.ts'

type Schema = z.core.JSONSchema.BaseSchema

/**
 * The fields of an answer as Zapier names them: `a__b` for a nested object, `a[]b` for a list of
 * objects. Open dictionaries are left out: their keys are the user's own.
 */
export function outputFieldsOf(answer: z.ZodType): PlainOutputField[] {
  const document: Schema = z.toJSONSchema(answer, { io: 'output' })
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.replace('#/$defs/', '')
    const found = name === undefined ? schema : document.$defs?.[name]
    if (found === undefined) throw new Error(`${schema.$ref} is not in the document`)
    const [present] = found.anyOf?.filter((one) => typeof one === 'object' && one.type !== 'null') ?? []
    if (present !== undefined) return resolve(asSchema(present))
    const [type] = [found.type ?? []].flat().filter((one) => one !== 'null')
    return { ...found, type }
  }

  const fieldsOf = (schema: Schema, key: string, path: string[]): PlainOutputField[] => {
    const { type, format, properties, items } = resolve(schema)
    if (type === 'array') {
      const item = items === undefined || Array.isArray(items) ? undefined : resolve(asSchema(items))
      if (item?.type === 'object') return propertiesOf(item, `${key}[]`, path)
      return [{ key, label: label(path), type: 'string', list: true }]
    }
    if (type === 'object')
      return properties === undefined ? [] : propertiesOf({ properties }, `${key}__`, path)
    return [{ key, label: label(path), type: fieldType(type, format) }]
  }

  const propertiesOf = (schema: Schema, prefix: string, path: string[]): PlainOutputField[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      fieldsOf(asSchema(property), `${prefix}${name}`, [...path, name]),
    )

  return propertiesOf(resolve(document), '', []).map((field) =>
    field.key === 'id' ? { ...field, primary: true } : field,
  )
}

const asSchema = (schema: Schema | boolean): Schema => (typeof schema === 'boolean' ? {} : schema)

const label = (path: string[]): string => titleCase(path.join('_'))

function fieldType(type: Schema['type'], format: string | undefined): PlainOutputField['type'] {
  if (format === 'date-time') return 'datetime'
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  return 'string'
}
