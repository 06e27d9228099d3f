import * as z from 'zod'
import { getAgent } from '../../agents/get.ts'
import type { Deps } from '../../deps.ts'
import { listSpreadsheets } from '../../spreadsheets/list.ts'
import { assignTool } from '../../tools/assignments.ts'
import { configSchemaOf } from '../../tools/config-form.ts'
import { getTool } from '../../tools/get-tool.ts'
import { listAssignments } from '../../tools/list-assignments.ts'
import { form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { keyOf } from './key-of.ts'
import { fieldsOf, readFields, type SchemaField } from './schema-fields.ts'
import {
  type SpreadsheetChoice,
  readSpreadsheet,
  spreadsheetChoice,
  toItsField,
} from './spreadsheet-choice.ts'

interface AssignData {
  agent: { id: number; name: string }
  tool: { name: string; description: string }
  isAssigned: boolean
  fault: string | null
  spreadsheet: SpreadsheetChoice | null
  fields: SchemaField[]
}

const page = template<AssignData>('dashboard/agents/assign-tool-page')

const Config = z.record(z.string(), z.unknown()).catch({})

const usesSpreadsheet = (schema: { properties?: unknown }): boolean =>
  typeof schema.properties === 'object' && schema.properties !== null && 'spreadsheet_id' in schema.properties

/** A tool's configuration for one agent: a form that the schema of its kind makes. */
export const assignPage = (deps: Deps) =>
  form({
    path: '/agents/:id/tools/:other',
    query: none,
    form: z.record(z.string(), z.unknown()),
    show: async (visit) => {
      const { workspaceId, agentId, toolId } = keyOf(visit)
      const agent = await getAgent(deps)({ workspaceId, agentId })
      const tool = await getTool(deps)({ workspaceId, toolId })
      const assignment = (await listAssignments(deps)(workspaceId, agentId)).find(
        (one) => one.tool.id === toolId,
      )
      const config = Config.parse(assignment?.config)
      const schema = configSchemaOf(tool.kind)
      const fields = fieldsOf(schema, 'config.', config)
      const withSpreadsheet = usesSpreadsheet(schema)
      return page(`${tool.name} for ${agent.name}`, {
        agent: { id: agentId, name: agent.name },
        tool: { name: tool.name, description: tool.description },
        isAssigned: assignment !== undefined,
        fault: assignment?.faults[0]?.message ?? null,
        spreadsheet: withSpreadsheet
          ? spreadsheetChoice(await listSpreadsheets(deps)(workspaceId), config)
          : null,
        fields: withSpreadsheet ? fields.filter(({ name }) => !spreadsheetFields.includes(name)) : fields,
      })
    },
    submit: async (own, visit, raw) => {
      const { workspaceId, agentId, toolId } = keyOf(visit)
      const tool = await getTool(own)({ workspaceId, toolId })
      const schema = configSchemaOf(tool.kind)
      const filled = readFields(schema, 'config.', raw)
      const config = usesSpreadsheet(schema) ? { ...filled, ...readSpreadsheet(raw) } : filled
      await assignTool(own)({ workspaceId, agentId, toolId, config }).catch(toItsField(raw))
      return done(pathTo(visit, `/agents/${agentId}`), `${tool.name} is ready: its talks have it at once.`)
    },
  })

const spreadsheetFields = ['config.spreadsheet_id', 'config.provider']
