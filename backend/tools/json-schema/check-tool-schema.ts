import type { JsonSchema } from '../kinds/tool-kind.ts'
import { compile, isKnownFormat } from './compile-schema.ts'
import { EndlessError } from './run-with-timeout.ts'
import { measure } from './measure.ts'

const bounds = { bytes: 64 * 1024, values: 2_000, depth: 20, pattern: 500 }

/** What of a server that is not ours is passed on as it is. */
export interface CheckOptions {
  /** Formats that nobody here knows are annotations then, as the standard has it; else they are typing errors. */
  anyFormat?: boolean
}

/**
 * What is wrong with the JSON Schema (2020-12) of a tool's arguments, in sentences for the person who made the tool;
 * empty where it can be used.
 */
export function checkToolSchema(schema: unknown, options: CheckOptions = {}): string[] {
  if (!isObject(schema)) return ['The schema must be a JSON object.']
  const { depth, values } = measure(schema, bounds)
  if (depth > bounds.depth) return [`The schema must nest at most ${bounds.depth} levels deep.`]
  if (values > bounds.values)
    return [`The schema must have at most ${bounds.values} values: describe fewer arguments.`]
  const json = JSON.stringify(schema)
  if (Buffer.byteLength(json) > bounds.bytes) {
    return [`The schema must have at most ${bounds.bytes / 1024} KiB.`]
  }
  if (!isStorable(json)) return ['The schema must not contain the NUL character or half a character.']
  const faults = [...checkTop(schema), ...new Set(checkParts(schema, options, true))]
  return faults.length > 0 ? faults : checkMeaning(schema)
}

const checkTop = (schema: JsonSchema): string[] =>
  schema.type === 'object' ? [] : ['The schema must have "type": "object" at its top: arguments have names.']

/** Whose contents are data, not schemas. */
const data = new Set(['const', 'enum', 'default', 'examples'])

function checkParts(part: unknown, options: CheckOptions, isTop: boolean): string[] {
  if (Array.isArray(part)) return part.flatMap((item) => checkParts(item, options, false))
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value === 'string') return checkKeyword(key, value, options, isTop)
    if (key === '__proto__') return ['An argument cannot be named "__proto__".']
    if (key === 'patternProperties' && isObject(value)) {
      const patterns = Object.keys(value).flatMap((pattern) =>
        checkKeyword('pattern', pattern, options, isTop),
      )
      return [...patterns, ...checkParts(value, options, false)]
    }
    return data.has(key) ? [] : checkParts(value, options, false)
  })
}

function checkKeyword(key: string, value: string, options: CheckOptions, isTop: boolean): string[] {
  const quoted = JSON.stringify(value.slice(0, 100))
  if ((key === '$ref' || key === '$dynamicRef') && !value.startsWith('#')) {
    return [`${key} must point into the schema itself ("#/$defs/…"): ${quoted} is not fetched.`]
  }
  // A nested one would change where "#" points to.
  if (key === '$id' && !isTop) return ['$id may stand only at the top of the schema.']
  if (key === 'pattern' && value.length > bounds.pattern) {
    return [`A pattern must have at most ${bounds.pattern} characters.`]
  }
  if (key === 'format' && !options.anyFormat && !isKnownFormat(value)) {
    return [
      `${quoted} is no format that is known here. Leave it out, or choose one such as "email" or "date".`,
    ]
  }
  return []
}

function checkMeaning(schema: JsonSchema): string[] {
  try {
    compile(schema)({}, { isLarge: true })
    return []
  } catch (error) {
    if (error instanceof EndlessError) return [endless]
    return [`The schema is not valid JSON Schema 2020-12: ${messageOf(error)}.`]
  }
}

const endless = 'The schema takes too long to check: does it refer to itself without end?'

/** Whether PostgreSQL keeps it: jsonb takes neither NUL nor a lone surrogate, which JSON writes as escapes. */
export const isStorable = (json: string): boolean => !/(?<!\\)(\\\\)*\\u(0000|d[89a-f]..)/.test(json)

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const messageOf = (error: unknown): string =>
  String(error)
    .replace(/^Error: (schema is invalid: )?/, '')
    .slice(0, 500)
