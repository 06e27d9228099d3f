import { countPatternSteps, isFormatOfEmptyText, type JsonSchema } from './compile-schema.ts'

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
  const rejects = { null: createCheck(schema, null), empty: createCheck(schema, '') }
  const isOmitted = (name: string, value: unknown) =>
    isBlank(value) &&
    !required.includes(name) &&
    Object.hasOwn(properties, name) &&
    (value === null ? rejects.null : rejects.empty)(properties[name])
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => !isOmitted(name, value)))
}

type Blank = null | ''

const isBlank = (value: unknown): value is Blank => value === null || value === ''

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const maxDepth = 50

/**
 * Creates a function that returns whether a part of a schema rejects a value. The function ignores keywords whose evaluation
 * can take long.
 */
function createCheck(root: JsonSchema, value: Blank): (schema: unknown) => boolean {
  // Each part is checked only once, however many references lead to it.
  const results = new Map<object, boolean>()
  const rejects = (schema: unknown, depth: number): boolean => {
    if (!isObject(schema) || depth > maxDepth) return schema === false
    const known = results.get(schema)
    if (known !== undefined) return known
    results.set(schema, false) // in case it refers to itself
    const { anyOf, oneOf, allOf, $ref } = schema
    const rejectsPart = (part: unknown) => rejects(part, depth + 1)
    const isRejected =
      rejectsValue(schema, value) ||
      [anyOf, oneOf].some((parts) => Array.isArray(parts) && parts.every(rejectsPart)) ||
      (Array.isArray(allOf) && allOf.some(rejectsPart)) ||
      (typeof $ref === 'string' && rejectsPart(findPart(root, $ref)))
    results.set(schema, isRejected)
    return isRejected
  }
  return (schema) => rejects(schema, 0)
}

function rejectsValue(schema: Record<string, unknown>, value: Blank): boolean {
  const { type, enum: choices, const: only, minLength, format, pattern } = schema
  if (type !== undefined && ![type].flat().includes(value === null ? 'null' : 'string')) return true
  if (Array.isArray(choices) && !choices.includes(value)) return true
  if (only !== undefined && only !== value) return true
  if (value === null) return false
  if (typeof minLength === 'number' && minLength > 0) return true
  if (typeof format === 'string' && !isFormatOfEmptyText(format)) return true
  return (
    typeof pattern === 'string' && countPatternSteps(pattern) < Infinity && !new RegExp(pattern, 'u').test('')
  )
}

/** Returns the part of a schema that a reference such as `#/$defs/Address` names, or undefined. */
function findPart(root: JsonSchema, reference: string): unknown {
  const [start, ...keys] = reference.split('/')
  if (start !== '#') return undefined
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (part, key) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, key)
          ? Reflect.get(part, key)
          : undefined,
      root,
    )
}
