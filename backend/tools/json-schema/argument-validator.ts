import { measureJson } from './check-tool-schema.ts'
import { compileSchema, type FindErrors, type JsonSchema } from './compile-schema.ts'
import { formatErrors } from './format-schema-errors.ts'
import { CalculationTimeoutError } from './run-with-timeout.ts'

/** What is wrong with arguments, each fault in words that an agent can act on; empty where nothing is. */
export type Validator = (args: unknown) => string[]

const argumentLimits = { values: 10_000, depth: 100 }

// By last use, the oldest first.
const validators = new Map<string, Validator>()
const maxValidators = 1_000

/**
 * The validator of one tool's arguments, compiled at its first use. A row's version grows with every change, so what
 * is kept under it never goes stale; `name` tells the tools of a remote server apart.
 */
export function getValidator(
  key: { id: number; version: number; name: string },
  schema: JsonSchema,
): Validator {
  const id = `${key.id}:${key.version}:${key.name}`
  const validator = validators.get(id) ?? createValidator(schema)
  // A schema that was checked when it was made took too long now: the machine is busy, and will not stay so.
  if (validator === undefined) return () => ['the arguments cannot be checked right now: try again']
  validators.delete(id)
  validators.set(id, validator)
  const [oldest] = validators.keys()
  if (validators.size > maxValidators && oldest !== undefined) validators.delete(oldest)
  return validator
}

/** Undefined where compiling was broken off. */
function createValidator(schema: JsonSchema): Validator | undefined {
  const findErrors = tryCompile(schema)
  if (findErrors === 'broken off') return undefined
  if (findErrors === 'invalid') return () => ['this tool is set up wrongly: its schema cannot be read']
  return (args) => {
    const { values, depth, characters } = measureJson(args, argumentLimits)
    if (values > argumentLimits.values)
      return [`there are too many values: at most ${argumentLimits.values} can be given`]
    if (depth > argumentLimits.depth)
      return [`the values nest too deep: at most ${argumentLimits.depth} levels`]
    try {
      const errors = findErrors(args, { isLarge: values > 1_000 || characters > 10_000 })
      return errors.length === 0 ? [] : formatErrors(errors)
    } catch (error) {
      if (!(error instanceof CalculationTimeoutError)) throw error
      return ['the arguments take too long to check: give fewer or shorter ones']
    }
  }
}

function tryCompile(schema: JsonSchema): FindErrors | 'broken off' | 'invalid' {
  try {
    return compileSchema(schema)
  } catch (error) {
    // Invalid is what was written into the database past checkToolSchema.
    return error instanceof CalculationTimeoutError ? 'broken off' : 'invalid'
  }
}
