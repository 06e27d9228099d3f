import type { Readable } from 'node:stream'
import * as z from 'zod'
import type { Deps } from '../deps.ts'

/** Thrown if the command line isn't valid. The message says what was expected. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export interface Option<Value = unknown> {
  schema: z.ZodType<Value>
  help: string
  /** The placeholder for the value in the help, such as ADDRESS. Undefined for a flag. */
  placeholder: string | undefined
  repeated: boolean
  required: boolean
}

type Cell = string | number | boolean | Date | string[] | null

/** The output of a command: a list, a record, a report, or a file, with an optional note. Some commands return only a note. */
export interface CommandResult {
  rows?: Record<string, Cell>[]
  record?: Record<string, Cell>
  /** A text for people, and the same information as JSON. */
  report?: { text: string; json: unknown }
  /** The contents of a file, which go to standard output unchanged. */
  parts?: AsyncIterable<string>
  /** A text that goes to standard error. */
  note?: string
}

export interface Command {
  /** One or two words. */
  name: string
  summary: string
  options: Record<string, Option>
  /**
   * Validates the options, before the database is opened. Returns a function that runs the command.
   *
   * @throws {UsageError}
   */
  prepare: (values: Record<string, unknown>) => (deps: Deps, input: Readable) => Promise<CommandResult>
}

type ValuesOf<Options extends Record<string, Option>> = {
  [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never
}

/**
 * Defines a command. `run` gets the parsed values of the options. Secrets come from `input` (standard input),
 * because the process list shows command lines.
 */
export function defineCommand<Options extends Record<string, Option>>(command: {
  name: string
  summary: string
  options: Options
  /** Checks options that depend on each other. Returns what's wrong, or undefined. */
  check?: (values: ValuesOf<Options>) => string | undefined
  run: (deps: Deps, values: ValuesOf<Options>, input: Readable) => Promise<CommandResult>
}): Command {
  const { name, summary, options, check, run } = command
  const schema = z.object(
    Object.fromEntries(Object.entries(options).map(([key, option]) => [key, option.schema])),
  )
  return {
    name,
    summary,
    options,
    prepare: (values) => {
      const parsed = schema.safeParse(values)
      if (parsed.success) {
        // `schema` has the keys and schemas of `options`, which zod's types can't express.
        const data = parsed.data as ValuesOf<Options>
        const issue = check?.(data)
        if (issue !== undefined) throw new UsageError(issue)
        return (deps, input) => run(deps, data, input)
      }
      const [issue] = parsed.error.issues
      const key = String(issue?.path[0])
      throw new UsageError(
        values[key] === undefined ? `--${key} is missing.` : `--${key}: ${issue?.message}.`,
      )
    },
  }
}

export const required = <Value>(
  schema: z.ZodType<Value>,
  placeholder: string,
  help: string,
): Option<Value> => ({
  schema,
  placeholder,
  help,
  repeated: false,
  required: true,
})

export const optional = <Value>(
  schema: z.ZodType<Value>,
  placeholder: string,
  help: string,
): Option<Value | undefined> => ({ ...required(schema.optional(), placeholder, help), required: false })

/** Defines an option that can be used several times. */
export const repeated = (placeholder: string, help: string): Option<string[]> => ({
  ...required(z.array(z.string()).default([]), placeholder, help),
  repeated: true,
  required: false,
})

export const flag = (help: string): Option<boolean> => ({
  schema: z.boolean().default(false),
  placeholder: undefined,
  help,
  repeated: false,
  required: false,
})

export const text = z.string().trim().min(1)
