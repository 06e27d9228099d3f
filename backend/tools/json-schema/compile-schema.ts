import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { secondMs } from '../../core/durations.ts'
import { CalculationTimeoutError, runWithTimeout } from './run-with-timeout.ts'

/** What is wrong with arguments; empty where nothing is. */
export type SchemaValidator = (args: unknown, options: { isLarge: boolean }) => readonly ErrorObject[]

const createAjv = () => {
  const ajv = new Ajv2020({
    // Unknown keywords and formats are annotations (JSON Schema 2020-12 core, 6.5).
    strict: false,
    logger: false,
    // Every wrong argument is to be named at once.
    allErrors: true,
    // `toString` is not given because every object inherits it.
    ownProperties: true,
    // References are called, never copied in: a schema of references to references would grow without end.
    inlineRefs: false,
  })
  ajvFormats.default(ajv)
  // The first schema takes the schema of schemas along: a hundred times as long, which no tool is to be blamed for.
  ajv.compile({ type: 'object' })
  return ajv
}

let sharedAjv: Ajv2020 | undefined
let compiledCount = 0

/** Made at its first use: most processes, such as a command, check nothing. */
const getAjv = (): Ajv2020 => (sharedAjv ??= createAjv())

/** Whether values of a format are checked. */
export const isKnownFormat = (name: string): boolean => Object.hasOwn(getAjv().formats, name)

/** What lets a few arguments take any time: recursion, patterns, comparing all with all, names of any length. */
const riskyKeywords = /"(\$ref|\$dynamicRef|pattern|patternProperties|propertyNames|uniqueItems)":/

/** Of all patterns of a schema together, for each character: milliseconds for arguments that are not large. */
const maxPatternSteps = 500

/**
 * Compiles a schema that `checkToolSchema` has passed.
 *
 * @throws {CalculationTimeoutError}, or an Error with ajv's words where it is no JSON Schema
 */
export function compileSchema(schema: JsonSchema): SchemaValidator {
  // An instance keeps all that it ever compiled, so it is left behind in time.
  compiledCount += 1
  if (compiledCount % 500 === 0) sharedAjv = undefined

  // Tools of two workspaces may bear the same $id, and a draft that is named is not loaded.
  const anonymous = { ...schema }
  delete anonymous.$id
  delete anonymous.$schema
  const validate = compileWithTimeout(anonymous)
  const isRisky = mayBeSlow(schema)

  return (args, { isLarge }) => {
    const isValid = isRisky || isLarge ? runWithTimeout(() => validate(args)) : validate(args)
    return isValid ? [] : (validate.errors ?? [])
  }
}

function mayBeSlow(schema: JsonSchema): boolean {
  let steps = 0
  const others = JSON.stringify(schema, (key, value: unknown) => {
    if (key !== 'pattern' || typeof value !== 'string') return value
    steps += countPatternSteps(value)
    return undefined
  })
  return steps > maxPatternSteps || riskyKeywords.test(others)
}

function compileWithTimeout(schema: JsonSchema): ValidateFunction {
  const ajv = getAjv()
  try {
    return runWithTimeout(() => {
      ajv.removeSchema(schema) // what a first try that was broken off has left
      return ajv.compile(schema)
    }, secondMs)
  } catch (error) {
    if (error instanceof CalculationTimeoutError) sharedAjv = undefined // what was broken off may have left anything behind
    throw error
  } finally {
    ajv.removeSchema(schema)
  }
}

/** What matches one character, and how often it may. Nothing that nests, chooses, looks around or refers back. */
const patternPiece =
  /(?:[^\\^$.*+?()[\]{}|]|\.|\\[dDwWsS./+*?()[\]{}|^$\\-]|\[(?:[^\]\\]|\\.)*\])(?:([?*+])|\{(\d{1,3})(?:(,)(\d{1,3})?)?\})?\??/gsuy

/**
 * How many steps a regular expression takes at most for each character of a text: for a simple one, anchored at its
 * beginning, with no more than one part of any length. Infinity for all others: they may take any time.
 */
export function countPatternSteps(pattern: string): number {
  if (!pattern.startsWith('^')) return Infinity
  const body = pattern.slice(1).replace(/(?<!\\)\$$/, '')
  const pieces = [...body.matchAll(patternPiece)]
  if (pieces.reduce((length, [text]) => length + text.length, 0) !== body.length) return Infinity
  const counts = pieces.map(parseRepetition)
  if (counts.filter(({ max }) => max === Infinity).length > 1) return Infinity
  // After each count that a piece can have, the rest is tried again. One of any length is paid by the characters.
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

/** A JSON Schema 2020-12, as it goes out to clients. */
export type JsonSchema = Record<string, unknown>
