import { compileSchema, isKnownFormat, type JsonSchema } from './compile-schema.ts'
import { CalculationTimeoutError } from './run-with-timeout.ts'

const schemaLimits = { bytes: 64 * 1024, values: 2_000, depth: 20, pattern: 500 }

/** What of a server that is not ours is passed on as it is. */
interface CheckOptions {
  /** Formats that nobody here knows are annotations then, as the standard has it; else they are typing errors. */
  allowUnknownFormats?: boolean
}

/**
 * What is wrong with the JSON Schema (2020-12) of a tool's arguments, in sentences for the person who made the tool;
 * empty where it can be used.
 */
export function checkToolSchema(schema: unknown, options: CheckOptions = {}): string[] {
  if (!isObject(schema)) return ['The schema must be a JSON object.']
  const { depth, values } = measureJson(schema, schemaLimits)
  if (depth > schemaLimits.depth) return [`The schema must nest at most ${schemaLimits.depth} levels deep.`]
  if (values > schemaLimits.values)
    return [`The schema must have at most ${schemaLimits.values} values. Describe fewer arguments.`]
  const json = JSON.stringify(schema)
  if (Buffer.byteLength(json) > schemaLimits.bytes) {
    return [`The schema must have at most ${schemaLimits.bytes / 1024} KiB.`]
  }
  if (!isStorableJson(json)) return ['The schema must not contain the NUL character or half a character.']
  const issues = [...checkRoot(schema), ...new Set(checkParts(schema, options, true))]
  return issues.length > 0 ? issues : checkCompiles(schema)
}

const checkRoot = (schema: JsonSchema): string[] =>
  schema.type === 'object' ? [] : ['The schema must have "type": "object" at its top.']

/** Whose contents are data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples'])

function checkParts(part: unknown, options: CheckOptions, isRoot: boolean): string[] {
  if (Array.isArray(part)) return part.flatMap((item) => checkParts(item, options, false))
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value === 'string') return checkKeyword(key, value, options, isRoot)
    if (key === '__proto__') return ['An argument cannot be named "__proto__".']
    if (key === 'patternProperties' && isObject(value)) {
      const patterns = Object.keys(value).flatMap((pattern) =>
        checkKeyword('pattern', pattern, options, isRoot),
      )
      return [...patterns, ...checkParts(value, options, false)]
    }
    return dataKeywords.has(key) ? [] : checkParts(value, options, false)
  })
}

function checkKeyword(key: string, value: string, options: CheckOptions, isRoot: boolean): string[] {
  const quoted = JSON.stringify(value.slice(0, 100))
  if ((key === '$ref' || key === '$dynamicRef') && !value.startsWith('#')) {
    return [`${key} must point into the schema itself ("#/$defs/…"): ${quoted} is not fetched.`]
  }
  // A nested one would change where "#" points to.
  if (key === '$id' && !isRoot) return ['$id is allowed only at the top of the schema.']
  if (key === 'pattern' && value.length > schemaLimits.pattern) {
    return [`A pattern must have at most ${schemaLimits.pattern} characters.`]
  }
  if (key === 'format' && !options.allowUnknownFormats && !isKnownFormat(value)) {
    return [`${quoted} isn't a known format. Leave it out, or use one such as "email" or "date".`]
  }
  return []
}

function checkCompiles(schema: JsonSchema): string[] {
  try {
    compileSchema(schema)({}, { isLarge: true })
    return []
  } catch (error) {
    if (error instanceof CalculationTimeoutError) return [timeoutMessage]
    return [`The schema is not valid JSON Schema 2020-12: ${formatCompileError(error)}.`]
  }
}

const timeoutMessage = 'The schema takes too long to check: does it refer to itself without end?'

/** Whether PostgreSQL keeps it: jsonb takes neither NUL nor a lone surrogate, which JSON writes as escapes. */
const isStorableJson = (json: string): boolean => !/(?<!\\)(\\\\)*\\u(0000|d[89a-f]..)/.test(json)

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const formatCompileError = (error: unknown): string =>
  String(error)
    .replace(/^Error: (schema is invalid: )?/, '')
    .slice(0, 500)

interface Measures {
  values: number
  depth: number
  /** Of all texts together, names aside. */
  characters: number
}

/** How large JSON is. Counting ends at the bounds, which are then exceeded. */
export function measureJson(json: unknown, limits: { values: number; depth: number }): Measures {
  const measures = { values: 0, depth: 0, characters: 0 }
  let level: object[] = []
  const count = (value: unknown) => {
    measures.values += 1
    if (typeof value === 'string') measures.characters += value.length
    else if (typeof value === 'object' && value !== null) level.push(value)
  }
  count(json)
  // Level by level: what nests a million deep would overflow the stack.
  while (level.length > 0 && measures.depth <= limits.depth) {
    measures.depth += 1
    const parts = level
    level = []
    for (const part of parts) {
      for (const value of Object.values(part)) count(value)
      if (measures.values > limits.values) return measures
    }
  }
  return measures
}
