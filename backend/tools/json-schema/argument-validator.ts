import { LRUCache } from 'lru-cache'
import { ApiError } from '../../core/errors.ts'
import { measureJson } from './check-tool-schema.ts'
import { compileSchema, type JsonSchema, type SchemaValidator } from './compile-schema.ts'
import { formatErrors } from './format-schema-errors.ts'
import { CalculationTimeoutError } from './run-with-timeout.ts'

/** Returns a message for each issue with the arguments, in words that an agent can act on. */
type Validator = (args: unknown) => string[]

const argumentLimits = { values: 10_000, depth: 100 }

const maxValidators = 1_000

/** Validators of tool arguments, each compiled on first use. */
export class ArgumentValidators {
  readonly #validators = new LRUCache<string, Validator>({ max: maxValidators })

  /**
   * Returns the validator of a tool. A row's version grows with every change, so a validator never goes stale; `name`
   * distinguishes the tools of a remote server, and `variant` the schemas that a tool has under the same name.
   *
   * @throws {ApiError} unavailable, if compiling the schema takes too long; the message is for the agent
   */
  get(tool: { id: number; version: number; name: string; variant?: string }, schema: JsonSchema): Validator {
    const key = `${tool.id}:${tool.version}:${tool.name}:${tool.variant ?? ''}`
    const cached = this.#validators.get(key)
    if (cached !== undefined) return cached
    const validator = createValidator(schema, tool.name)
    // The schema compiled in time when the tool was saved, so the machine is probably busy. The next use tries again.
    if (validator === undefined) throw new ApiError('unavailable.tool', { values: { tool: tool.name } })
    this.#validators.set(key, validator)
    return validator
  }
}

/** Returns undefined if compiling timed out. */
function createValidator(schema: JsonSchema, name: string): Validator | undefined {
  const findErrors = tryCompile(schema)
  if (findErrors === 'timed out') return undefined
  if (findErrors === 'invalid') {
    return () => {
      throw new ApiError('internal_error.tool', { values: { tool: name } })
    }
  }
  return (args) => {
    const { values, depth, characters } = measureJson(args, argumentLimits)
    if (values > argumentLimits.values)
      return [`there are too many values (maximum ${argumentLimits.values})`]
    if (depth > argumentLimits.depth)
      return [`the values are nested too deeply (maximum ${argumentLimits.depth} levels)`]
    try {
      const errors = findErrors(args, { isLarge: values > 1_000 || characters > 10_000 })
      return errors.length === 0 ? [] : formatErrors(errors)
    } catch (error) {
      if (!(error instanceof CalculationTimeoutError)) throw error
      return ['the arguments are too long or too complex to check']
    }
  }
}

function tryCompile(schema: JsonSchema): SchemaValidator | 'timed out' | 'invalid' {
  try {
    return compileSchema(schema)
  } catch (error) {
    // Only a schema that bypassed checkToolSchema can be invalid.
    return error instanceof CalculationTimeoutError ? 'timed out' : 'invalid'
  }
}
