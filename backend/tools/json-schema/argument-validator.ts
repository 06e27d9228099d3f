import { LRUCache } from 'lru-cache'
import { ApiError } from '../../platform/core/errors.ts'
import { isSimpleSchema, type JsonSchema } from './compile-schema.ts'
import { createValidator, type Validator } from './create-validator.ts'
import { measureJson } from './measure-json.ts'
import { type ArgumentIssues, validateInThread } from './schema-jobs.ts'

const argumentLimits = { values: 10_000, depth: 100 }

const maxValidators = 1_000

/**
 * Identifies a tool's schema. The version grows with every change to the tool, so a cached validator is never outdated. `name`
 * distinguishes the tools of a remote server, and `variant` the schemas that a tool has under the same name.
 */
interface ToolKey {
  id: number
  version: number
  name: string
  workspaceId: number
  variant?: string
}

/**
 * Validates tool arguments. Small arguments of simple schemas are validated at once, by validators that are compiled on
 * first use. Everything else is validated in a thread, because it could keep the event loop busy.
 */
export class ArgumentValidators {
  readonly #simple = new LRUCache<string, Validator | 'not simple' | 'invalid'>({ max: maxValidators })

  /**
   * Returns a message for each issue with the arguments, in words that an agent can act on.
   *
   * @throws {ApiError} unavailable, if compiling the schema takes too long; the message is for the agent
   */
  async findIssues(tool: ToolKey, schema: JsonSchema, args: unknown): Promise<string[]> {
    const { values, depth, characters } = measureJson(args, argumentLimits)
    if (values > argumentLimits.values)
      return [`there are too many values (maximum ${argumentLimits.values})`]
    if (depth > argumentLimits.depth)
      return [`the values are nested too deeply (maximum ${argumentLimits.depth} levels)`]
    const key = `${tool.id}:${tool.version}:${tool.name}:${tool.variant ?? ''}`
    const validator = this.#getSimple(key, schema)
    const isSmall = values <= 1_000 && characters <= 10_000
    if (isSmall && typeof validator === 'function') return validator(args)
    const issues =
      validator === 'invalid'
        ? validator
        : await validateInThread(tool.workspaceId, { key, name: tool.name }, schema, args)
    return requireIssues(tool.name, issues)
  }

  #getSimple(key: string, schema: JsonSchema): Validator | 'not simple' | 'invalid' {
    const cached = this.#simple.get(key)
    if (cached !== undefined) return cached
    const created = isSimpleSchema(schema) ? createValidator(schema, { isSimple: true }) : 'not simple'
    if (created === 'timed out') return 'not simple' // The machine is probably busy. The next use tries again.
    this.#simple.set(key, created)
    return created
  }
}

function requireIssues(name: string, issues: ArgumentIssues): string[] {
  if (typeof issues !== 'string') return issues
  // The schema compiled in time when the tool was saved, so the machine is probably busy. The next use tries again.
  if (issues === 'timed out') throw new ApiError('unavailable.tool', { values: { tool: name } })
  throw new ApiError('internal_error.tool', { values: { tool: name } })
}
