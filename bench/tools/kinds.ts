import * as z from 'zod'
import { documents } from '../../backend/service/demo/demo-documents.ts'
import { toolKinds } from '../../backend/tools/kind-registry.ts'
import type { ToolDefinition, ToolKind, ToolKinds, ToolResult } from '../../backend/tools/kinds/tool-kind.ts'

/** A custom tool, in addition to the built-in ones. */
export const orderStatus: ToolDefinition = {
  name: 'order_status',
  description: 'Returns the status of an order and when the team arrives.',
  inputSchema: {
    type: 'object',
    properties: {
      order_number: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4,8}$', description: 'For example RL-20418' },
      postal_code: { type: 'string', minLength: 3, maxLength: 12, description: 'Where the work is done.' },
    },
    required: ['order_number'],
    additionalProperties: false,
  },
}

const builtIn = [...toolKinds.values()].flatMap((kind) => kind.builtIn ?? [])

/** The eight tools of every compared server. Their definitions are those that agents get from the service. */
export const tools: ToolDefinition[] = [...builtIn, orderStatus]

const passages = documents.slice(0, 3).map(({ title, body }) => `From "${title}":\n${body.split('\n\n')[0]}`)

const resultTexts: Record<string, string> = {
  knowledge_search: passages.join('\n\n'),
  contact_lookup:
    'Name: Ann Lee\nPhone number: +12025550142\nEmail: ann.lee@example.com\nTime zone: America/New_York, where it is Friday, 10:14\nroof_type: slate\nNotes:\n- 2026-11-12: Asked for a quote for the north side.',
  contact_note: 'The note was saved.',
  spreadsheet_append: 'The row was added.',
  schedule_callback: "The call is scheduled for Tuesday, November 24, 15:30 in the contact's time zone.",
  order_status: '{"order_number":"RL-20418","state":"scheduled","team_arrives":"2026-11-25T08:30:00-05:00"}',
}

/** Returns a fixed text for a tool, so that the benchmark measures the server and not the tools. */
export const resultTextFor = (name: string): string => resultTexts[name] ?? 'Done.'

const withFixedResult = (kind: ToolKind): ToolKind => ({
  ...kind,
  settings: z.looseObject({}),
  config: z.looseObject({}),
  hasEffects: true,
  run: async (_deps, { toolName }): Promise<ToolResult> => ({
    text: resultTextFor(toolName),
    isError: false,
  }),
})

export const kinds: ToolKinds = new Map([...toolKinds].map(([name, kind]) => [name, withFixedResult(kind)]))
