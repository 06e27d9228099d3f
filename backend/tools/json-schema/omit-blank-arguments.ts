import type { JsonSchema } from './compile-schema.ts'

/**
 * Leaves out optional arguments that are null or an empty text if their schema rejects that. Some language models and
 * clients, such as those that require every argument, can't leave them out themselves.
 */
export function omitBlankArguments(
  schema: JsonSchema,
  args: Record<string, unknown>,
): Record<string, unknown> {
  if (!Object.values(args).some(isBlank)) return args
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const isOmitted = (name: string, value: unknown) =>
    isBlank(value) &&
    !required.includes(name) &&
    Object.hasOwn(properties, name) &&
    rejects(properties[name], value)
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => !isOmitted(name, value)))
}

type Blank = null | ''

const isBlank = (value: unknown): value is Blank => value === null || value === ''

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns false if other keywords would have to be evaluated to find out. */
function rejects(schema: unknown, value: Blank): boolean {
  if (!isObject(schema)) return schema === false
  const { type, enum: choices, anyOf, minLength } = schema
  if (type !== undefined && ![type].flat().includes(value === null ? 'null' : 'string')) return true
  if (Array.isArray(choices) && !choices.includes(value)) return true
  if (value === '' && typeof minLength === 'number' && minLength > 0) return true
  return Array.isArray(anyOf) && anyOf.every((alternative) => rejects(alternative, value))
}
