import * as z from 'zod'
import { getAgent } from '../../agents/get.ts'
import type { Deps } from '../../deps.ts'
import { listSpreadsheets } from '../../spreadsheets/list.ts'
import { assignTool } from '../../tools/assignments.ts'
import { getConfigSchema } from '../../tools/config-form.ts'
import { getTool } from '../../tools/get-tool.ts'
import { listAssignments } from '../../tools/list-assignments.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { parseAgentToolParams } from './key-of.ts'
import { toFormFields, parseFormFields, type SchemaField } from './schema-fields.ts'
import {
  type SpreadsheetChoice,
  parseSpreadsheetChoice,
  toSpreadsheetChoice,
  toGoogleIdError,
} from './spreadsheet-choice.ts'

interface AssignData {
  agent: { id: number; name: string }
  tool: { name: string; description: string }
  isAssigned: boolean
  issue: string | null
  spreadsheet: SpreadsheetChoice | null
  fields: SchemaField[]
}

const assignToolView = template<AssignData>('dashboard/agents/assign-tool-page')

const Config = z.record(z.string(), z.unknown()).catch({})

const usesSpreadsheet = (schema: { properties?: unknown }): boolean =>
  typeof schema.properties === 'object' && schema.properties !== null && 'spreadsheet_id' in schema.properties

/** A tool's configuration for one agent: a form that the schema of its kind makes. */
export const assignToolPage = (deps: Deps) =>
  formRoute({
    path: '/agents/:id/tools/:other',
    query: noInput,
    form: z.record(z.string(), z.unknown()),
    show: async (context) => {
      const { workspaceId, agentId, toolId } = parseAgentToolParams(context)
      const agent = await getAgent(deps)({ workspaceId, agentId })
      const tool = await getTool(deps)({ workspaceId, toolId })
      const assignment = (await listAssignments(deps)(workspaceId, agentId)).find(
        (one) => one.tool.id === toolId,
      )
      const config = Config.parse(assignment?.config)
      const schema = getConfigSchema(tool.kind)
      const fields = toFormFields(schema, 'config.', config)
      const withSpreadsheet = usesSpreadsheet(schema)
      return assignToolView(`${tool.name} for ${agent.name}`, {
        agent: { id: agentId, name: agent.name },
        tool: { name: tool.name, description: tool.description },
        isAssigned: assignment !== undefined,
        issue: assignment?.issues[0]?.message ?? null,
        spreadsheet: withSpreadsheet
          ? toSpreadsheetChoice(await listSpreadsheets(deps)(workspaceId), config)
          : null,
        fields: withSpreadsheet ? fields.filter(({ name }) => !spreadsheetFields.includes(name)) : fields,
      })
    },
    submit: async (tx, context, raw) => {
      const { workspaceId, agentId, toolId } = parseAgentToolParams(context)
      const tool = await getTool(tx)({ workspaceId, toolId })
      const schema = getConfigSchema(tool.kind)
      const filled = parseFormFields(schema, 'config.', raw)
      const config = usesSpreadsheet(schema) ? { ...filled, ...parseSpreadsheetChoice(raw) } : filled
      await assignTool(tx)({ workspaceId, agentId, toolId, config }).catch(toGoogleIdError(raw))
      return redirectTo(
        pathTo(context, `/agents/${agentId}`),
        `${tool.name} is ready: its talks have it at once.`,
      )
    },
  })

const spreadsheetFields = ['config.spreadsheet_id', 'config.provider']
