import type { Readable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import * as z from 'zod'
import { httpMethods } from '../tools/custom/tool-settings.ts'
import { UsageError } from './command.ts'

const texts = z.record(z.string(), z.string())
const secretChanges = z.record(z.string(), z.string().nullable())
const jsonSchema = z.record(z.string(), z.unknown())

const http = z.strictObject({
  name: z.string(),
  description: z.string(),
  method: z.enum(httpMethods),
  url: z.string(),
  input_schema: jsonSchema,
  headers: texts.optional(),
})

/** The JSON description of an HTTP tool. Saving the tool validates the values. */
export const HttpToolDescription = http
  .extend({ secrets: texts.optional() })
  .transform(({ input_schema: inputSchema, ...rest }) => ({ ...rest, inputSchema }))

/** Changes to an HTTP tool: omitted fields stay unchanged, and null removes a secret. */
export const HttpToolChange = http
  .partial()
  .extend({ secrets: secretChanges.optional() })
  .transform(({ input_schema: inputSchema, ...rest }) => ({ ...rest, inputSchema }))

const remote = z.strictObject({
  name: z.string(),
  description: z.string(),
  url: z.string(),
  transport: z.enum(['auto', 'streamable', 'sse']).optional(),
  headers: texts.optional(),
  tools: z.array(z.string()).optional(),
})

/** The JSON description of a remote MCP server. Without `tools`, agents get all tools that Outdial supports. */
export const RemoteServerDescription = remote.extend({ secrets: texts.optional() })

export const RemoteServerChange = remote.partial().extend({ secrets: secretChanges.optional() })

/**
 * Reads a description from standard input, because it can be long, and its secrets must not show in the process list.
 *
 * @throws {UsageError}
 */
export async function readToolDescription<Description>(
  input: Readable,
  schema: z.ZodType<Description>,
): Promise<Description> {
  const parsed = schema.safeParse(parseJson(await readAll(input)))
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'JSON'}: ${message}`)
  throw new UsageError(`The JSON on standard input isn't valid. ${issues.join('; ')}.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`Standard input isn't valid JSON. Pass JSON, for example with "< tool.json".`)
  }
}
