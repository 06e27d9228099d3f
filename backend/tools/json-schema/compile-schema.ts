// cspell:ignore gsuy
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { secondMs } from '../../platform/core/durations.ts'
import { measureJson } from './measure-json.ts'
import { CalculationTimeoutError, runWithTimeout } from './run-with-timeout.ts'

/** Returns the errors in arguments; empty if they're valid. */
export type SchemaValidator = (args: unknown) => readonly ErrorObject[]

const createAjv = () => {
  const ajv = new Ajv2020({
    // Unknown keywords and formats are annotations (JSON Schema 2020-12 core, 6.5).
    strict: false,
    logger: false,
    // Reports all invalid arguments, not only the first.
    allErrors: true,
    // Inherited properties, such as `toString`, don't count as given.
    ownProperties: true,
    // References are called, not copied in. Otherwise, the code for references to references could grow without limit.
    inlineRefs: false,
  })
  ajvFormats.default(ajv)
  // The first compilation includes the meta-schema and takes 100 times as long. No tool's time limit should include it.
  ajv.compile({ type: 'object' })
  return ajv
}

let sharedAjv: Ajv2020 | undefined
let compiledCount = 0

/** Returns the shared Ajv instance. Creates it on first use, because most processes, such as commands, don't check schemas. */
const getAjv = (): Ajv2020 => (sharedAjv ??= createAjv())

/** Returns whether Ajv checks the values of a format. */
export const isKnownFormat = (name: string): boolean => Object.hasOwn(getAjv().formats, name)

const acceptsEmpty = new Map<string, boolean>()

/** Returns whether an empty text is valid in a format. Any text is valid in an unknown format. */
export function isFormatOfEmptyText(name: string): boolean {
  if (!isKnownFormat(name)) return true
  const accepts = acceptsEmpty.get(name) ?? compileSchema({ format: name })('').length === 0
  acceptsEmpty.set(name, accepts)
  return accepts
}

/**
 * Matches keywords that can make it slow to validate even small arguments (recursion, patterns, comparing all items, names of
 * any length, formats whose patterns look ahead), or that take long to compile (alternatives).
 */
const riskyKeywords =
  /"(\$ref|\$dynamicRef|pattern|patternProperties|propertyNames|uniqueItems|allOf|anyOf|oneOf|not|if|dependentSchemas|unevaluated\w+)":|"format":"(url|regex)"/

/** Maximum values of a simple schema. Compiling a larger one takes longer than the event loop should wait. */
const maxSimpleValues = 200

/** Maximum steps per character for all patterns of a schema together. Arguments that aren't large then take milliseconds. */
const maxPatternSteps = 500

/**
 * Compiles a schema that `checkToolSchema` has accepted.
 *
 * @throws {CalculationTimeoutError}, or an Error with ajv's message if `schema` isn't a JSON Schema
 */
export function compileSchema(schema: JsonSchema): SchemaValidator {
  // An Ajv instance keeps everything that it ever compiled, so it's replaced regularly.
  compiledCount += 1
  if (compiledCount % 500 === 0) sharedAjv = undefined

  // Removes $id, because tools of two workspaces may have the same one, and $schema, because its draft may not be loaded.
  const anonymous = { ...schema }
  delete anonymous.$id
  delete anonymous.$schema
  const validate = compileWithTimeout(anonymous)
  return (args) => (validate(args) ? [] : (validate.errors ?? []))
}

/** Returns whether it takes little time to compile a schema, and to validate arguments that aren't large. */
export function isSimpleSchema(schema: JsonSchema): boolean {
  if (measureJson(schema, { values: maxSimpleValues, depth: 20 }).isTooLarge) return false
  let steps = 0
  const others = JSON.stringify(schema, (key, value: unknown) => {
    if (hasTypedAlternatives(value)) return { ...value, anyOf: undefined, typed: value.anyOf }
    if (key !== 'pattern' || typeof value !== 'string') return value
    steps += countPatternSteps(value)
    return undefined
  })
  return steps <= maxPatternSteps && !riskyKeywords.test(others)
}

/** Returns whether a schema has alternatives of different types. They cost no more than a list of types. */
function hasTypedAlternatives(schema: unknown): schema is { anyOf: unknown[] } {
  if (typeof schema !== 'object' || schema === null || !('anyOf' in schema)) return false
  if (!Array.isArray(schema.anyOf)) return false
  const types = schema.anyOf.map((alternative: { type?: unknown } | null) => alternative?.type)
  return types.every((type) => typeof type === 'string') && new Set(types).size === types.length
}

function compileWithTimeout(schema: JsonSchema): ValidateFunction {
  const ajv = getAjv()
  try {
    return runWithTimeout(() => {
      ajv.removeSchema(schema) // left over from an interrupted first run
      return ajv.compile(schema)
    }, secondMs)
  } catch (error) {
    // An interrupted compilation may leave the instance in an inconsistent state.
    if (error instanceof CalculationTimeoutError) sharedAjv = undefined
    throw error
  } finally {
    ajv.removeSchema(schema)
  }
}

/** Matches one character with its repetition. Doesn't match groups, alternatives, lookarounds, or backreferences. */
const patternPiece =
  /(?:[^\\^$.*+?()[\]{}|]|\.|\\[dDwWsS./+*?()[\]{}|^$\\-]|\[(?:[^\]\\]|\\.)*\])(?:([?*+])|\{(\d{1,3})(?:(,)(\d{1,3})?)?\})?\??/gsuy

/**
 * Returns how many steps a regular expression takes at most for each character of a text, if it's simple: anchored at
 * the start, with at most one part of unlimited length. Returns Infinity for all others, which may take any amount of
 * time.
 */
export function countPatternSteps(pattern: string): number {
  if (!pattern.startsWith('^')) return Infinity
  const body = pattern.slice(1).replace(/(?<!\\)\$$/, '')
  const pieces = [...body.matchAll(patternPiece)]
  if (pieces.reduce((length, [text]) => length + text.length, 0) !== body.length) return Infinity
  const counts = pieces.map(parseRepetition)
  if (counts.filter(({ max }) => max === Infinity).length > 1) return Infinity
  // The rest of the pattern is tried again after each possible count of a piece. An unlimited piece takes one step per
  // character.
  return counts.reduceRight(
    (after, { min, max }) => (max === Infinity ? 1 + after : max + (max - min + 1) * after),
    1,
  )
}

function parseRepetition([, sign, from, comma, to]: RegExpExecArray): { min: number; max: number } {
  if (sign !== undefined) return { min: 0, max: sign === '?' ? 1 : Infinity }
  if (from === undefined) return { min: 1, max: 1 }
  const min = Number(from)
  if (comma === undefined) return { min, max: min }
  return { min, max: to === undefined ? Infinity : Number(to) }
}

/** A JSON Schema (2020-12), as clients get it. */
export type JsonSchema = Record<string, unknown>
