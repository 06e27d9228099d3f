import { compileSchema, type JsonSchema, type SchemaValidator } from './compile-schema.ts'
import { formatErrors } from './format-schema-errors.ts'
import { CalculationTimeoutError, runWithTimeout } from './run-with-timeout.ts'

/** Returns a message for each issue with the arguments, in words that an agent can act on. */
export type Validator = (args: unknown) => string[]

/**
 * Compiles a schema. If the schema can't be used, returns the reason instead of a validator.
 *
 * @param options.isSimple whether `isSimpleSchema` is true, so that validation needs no time limit
 */
export function createValidator(
  schema: JsonSchema,
  options: { isSimple: boolean },
): Validator | 'timed out' | 'invalid' {
  const findErrors = tryCompile(schema)
  if (typeof findErrors === 'string') return findErrors
  return (args) => {
    try {
      const errors = options.isSimple ? findErrors(args) : runWithTimeout(() => findErrors(args))
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
