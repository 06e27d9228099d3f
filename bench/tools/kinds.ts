import * as z from 'zod'
import type { ToolKinds } from '../../backend/tools/context.ts'
import type { JsonSchema, ToolKind } from '../../backend/tools/kinds/kind.ts'

/** The tool that both servers serve: it does nothing, so that the server is what is measured. */
export const echo = {
  name: 'echo',
  description: 'Says what it was told, so that the way there and back is all that is measured.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 200, description: 'What to say.' },
      times: { type: 'integer', minimum: 1, maximum: 10, description: 'How often.' },
    },
    required: ['text'],
    additionalProperties: false,
  } satisfies JsonSchema,
} as const

/** What an agent usually has beside it. */
export const others = Array.from({ length: 7 }, (_, index) => ({
  ...echo,
  name: `echo_${index + 1}`,
}))

export const answer = (args: Record<string, unknown>) => `You said ${String(args.text)}`

const kind: ToolKind = {
  kind: 'http',
  settings: z.looseObject({}),
  config: z.looseObject({}),
  hasEffects: false,
  builtIn: undefined,
  definitions: ({ name, description, inputSchema }) => [{ name, description, inputSchema }],
  run: async (_deps, { args }) => ({ text: answer(args), isError: false }),
}

export const kinds: ToolKinds = new Map([['http', kind]])
