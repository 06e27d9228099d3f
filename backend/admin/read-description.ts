import type { Readable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type * as z from 'zod'
import { UsageError } from './command.ts'

/**
 * Reads from standard input what is too long for a command line, or too secret for a list of processes.
 *
 * @throws {UsageError}
 */
export async function readToolDescription<Description>(
  input: Readable,
  schema: z.ZodType<Description>,
): Promise<Description> {
  const parsed = schema.safeParse(parseJson(await readAll(input)))
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'description'}: ${message}`,
  )
  throw new UsageError(`The description on standard input is wrong. ${issues.join('; ')}.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('Give a description in JSON on standard input, for example with "< tool.json".')
  }
}
