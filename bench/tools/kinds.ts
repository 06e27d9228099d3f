import * as z from 'zod'
import { documents } from '../../backend/demo/demo-documents.ts'
import { toolKinds } from '../../backend/tools/kind-registry.ts'
import type { ToolDefinition, ToolKind, ToolKinds, ToolResult } from '../../backend/tools/kinds/tool-kind.ts'

/** The one of a workspace's own, beside those that are built in. */
export const orderStatus: ToolDefinition = {
  name: 'order_status',
  description: 'Tells how far an order is, and when the team will come.',
  inputSchema: {
    type: 'object',
    properties: {
      order_number: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4,8}$', description: 'For example RL-20418' },
      postal_code: { type: 'string', minLength: 3, maxLength: 12, description: 'Of the place of work.' },
    },
    required: ['order_number'],
    additionalProperties: false,
  },
}

const builtIn = [...toolKinds.values()].flatMap((kind) => kind.builtIn ?? [])

/** The eight tools that all servers here serve: the service's, as agents are told of them. */
export const tools: ToolDefinition[] = [...builtIn, orderStatus]

const passages = documents.slice(0, 3).map(({ title, body }) => `From "${title}":\n${body.split('\n\n')[0]}`)

const resultTexts: Record<string, string> = {
  knowledge_search: passages.join('\n\n'),
  contact_lookup:
    'Name: Ann Lee\nPhone number: +12025550142\nEmail: ann.lee@example.com\nTime zone: America/New_York, where it is Friday, 10:14\nroof_type: slate\nNotes:\n- 2026-11-12: Asked for a quote for the north side.',
  contact_note: 'The note is kept.',
  spreadsheet_append: 'The row is added.',
  schedule_callback: 'The call is planned for Tuesday, November 24, at 15:30 their time.',
  order_status: '{"order_number":"RL-20418","state":"scheduled","team_arrives":"2026-11-25T08:30:00-05:00"}',
}

/** They do nothing but answer, so that the server is what is measured. */
export const resultTextFor = (name: string): string => resultTexts[name] ?? 'Done.'

const withFixedResult = (kind: ToolKind): ToolKind => ({
  ...kind,
  settings: z.looseObject({}),
  config: z.looseObject({}),
  run: async (_deps, { toolName }): Promise<ToolResult> => ({
    text: resultTextFor(toolName),
    isError: false,
  }),
})

export const kinds: ToolKinds = new Map([...toolKinds].map(([name, kind]) => [name, withFixedResult(kind)]))
