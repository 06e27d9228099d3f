import { compileSchema, isKnownFormat, type JsonSchema } from './compile-schema.ts'
import { measureJson } from './measure-json.ts'
import { CalculationTimeoutError, runWithTimeout } from './run-with-timeout.ts'

const schemaLimits = {
  ...{ bytes: 64 * 1024, values: 2_000, depth: 20 },
  ...{ patterns: 100, patternLength: 500, alternatives: 100 },
}

/** Exceptions for the schemas of remote servers, which are passed on unchanged. */
export interface CheckOptions {
  /** Treats unknown formats as annotations, as the standard does. Otherwise, they're reported as typos. */
  allowUnknownFormats?: boolean
}

/**
 * Finds what's wrong with the JSON Schema (2020-12) of a tool's arguments. Returns sentences for the person who made
 * the tool, or an empty list if the schema can be used. Compiles the schema, so the service calls it only in a thread;
 * see schema-jobs.ts.
 */
export function checkToolSchema(schema: unknown, options: CheckOptions = {}): string[] {
  const sizeIssues = checkSize(schema)
  if (sizeIssues.length > 0 || !isObject(schema)) return sizeIssues
  const issues = [...checkRoot(schema), ...new Set(checkParts(schema, options, true))]
  return issues.length > 0 ? issues : checkCompiles(schema)
}

/** Finds reasons why a schema must not be compiled, such as its size. */
export function checkSize(schema: unknown): string[] {
  if (!isObject(schema))
    return ['The schema must be a JSON object. Put braces around it, for example {"type": "object"}.']
  const { depth, values } = measureJson(schema, schemaLimits)
  if (depth > schemaLimits.depth)
    return [`The schema can have at most ${schemaLimits.depth} levels of nesting. Use fewer.`]
  if (values > schemaLimits.values)
    return [`The schema can have at most ${schemaLimits.values} values. Use fewer arguments.`]
  const json = JSON.stringify(schema)
  if (Buffer.byteLength(json) > schemaLimits.bytes) {
    return [`The schema can be at most ${schemaLimits.bytes / 1024} KiB long. Shorten it.`]
  }
  if (!isStorableJson(json))
    return ['The schema contains NUL characters or parts of characters (unpaired surrogates). Remove them.']
  const { patterns, alternatives } = countCostly(schema)
  if (patterns > schemaLimits.patterns)
    return [`The schema can have at most ${schemaLimits.patterns} patterns. Use fewer.`]
  if (alternatives > schemaLimits.alternatives) {
    return [
      `The schema can have at most ${schemaLimits.alternatives} alternatives in anyOf, oneOf, and allOf. Use fewer.`,
    ]
  }
  return []
}

/** Counts what takes long to compile, everywhere in the schema. */
function countCostly(part: unknown): { patterns: number; alternatives: number } {
  const counts = { patterns: 0, alternatives: 0 }
  const count = (value: unknown, key: string) => {
    if (key === 'pattern' && typeof value === 'string') counts.patterns += 1
    if (key === 'patternProperties' && isObject(value)) counts.patterns += Object.keys(value).length
    if (Array.isArray(value) && /^(anyOf|oneOf|allOf)$/.test(key)) counts.alternatives += value.length
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) count(inner, name)
  }
  count(part, '')
  return counts
}

const checkRoot = (schema: JsonSchema): string[] =>
  schema.type === 'object' ? [] : ['The schema needs "type": "object" at the top level. Add it.']

/** Keywords that contain data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples'])

function checkParts(part: unknown, options: CheckOptions, isRoot: boolean): string[] {
  if (Array.isArray(part)) return part.flatMap((item) => checkParts(item, options, false))
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value === 'string') return checkKeyword(key, value, options, isRoot)
    if (key === '__proto__') return ['An argument can\'t be named "__proto__". Choose another name.']
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
    return [
      `${key} must refer to a part of this schema, for example "#/$defs/…". Outdial doesn't fetch ${quoted}.`,
    ]
  }
  // A nested $id would change what "#" refers to.
  if (key === '$id' && !isRoot)
    return ['$id is allowed only at the top level of the schema. Remove the other ones.']
  if (key === 'pattern' && value.length > schemaLimits.patternLength) {
    return [`A pattern can have at most ${schemaLimits.patternLength} characters. Shorten it.`]
  }
  if (key === 'format' && !options.allowUnknownFormats && !isKnownFormat(value)) {
    return [
      `${quoted} isn't a known format. Leave out the format, or use a known one, such as "email" or "date".`,
    ]
  }
  return []
}

function checkCompiles(schema: JsonSchema): string[] {
  try {
    const findErrors = compileSchema(schema)
    runWithTimeout(() => findErrors({}))
    return []
  } catch (error) {
    if (error instanceof CalculationTimeoutError) return [timeoutMessage]
    return [`The schema isn't valid JSON Schema 2020-12: ${formatCompileError(error)}. Correct the schema.`]
  }
}

export const timeoutMessage =
  "The schema takes too long to check. Simplify it, and make sure that its references don't form an endless loop."

/** Returns whether PostgreSQL can store the JSON: jsonb rejects the escapes for NUL and for unpaired surrogates. */
const isStorableJson = (json: string): boolean => !/(?<!\\)(\\\\)*\\u(0000|d[89a-f]..)/.test(json)

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const formatCompileError = (error: unknown): string =>
  String(error)
    .replace(/^Error: (schema is invalid: )?/, '')
    .slice(0, 500)
