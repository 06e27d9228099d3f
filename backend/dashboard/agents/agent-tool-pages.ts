import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { ApiError } from '../../platform/core/errors.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { field, formMessage, groupIssue, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { assignTool, getConfigSchema, listAssignments, unassignTool } from '../../tools/assignments.ts'
import type { ToolDeps } from '../../tools/kinds/tool-kind.ts'
import { listSpreadsheets, type SpreadsheetSummary } from '../../tools/spreadsheets/spreadsheets.ts'
import { getTool, listTools, type ToolDetails } from '../../tools/tool-catalog.ts'
import { defineAction, defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { anyField } from '../page/forms.ts'
import { IdParam, type IdPathContext, type PageContext, pathTo } from '../page/page-context.ts'
import { type AgentWithCounts, getAgent } from './agent-queries.ts'
import { parseFormFields, type SchemaField, schemaFields, toFormFields } from './schema-fields.ts'

interface AssignData {
  agent: AgentWithCounts
  tool: ToolDetails
  isAssigned: boolean
  issue: string | null
  spreadsheet: SpreadsheetChoice | null
  fields: SchemaField[]
}

/** Path parameters of an agent's tool. `id` is the agent's ID. */
export const AgentToolParams = z.object({ id: IdParam, toolId: IdParam })
export type AgentToolContext = PageContext<unknown, z.output<typeof AgentToolParams>>

export const agentToolKey = ({ workspace, params }: AgentToolContext) => ({
  workspaceId: workspace.id,
  agentId: params.id,
  toolId: params.toolId,
})

const agentPath = (context: IdPathContext) => pathTo(context, `/agents/${context.params.id}`)

const assignToolView = defineView(
  ({ ui, form }, { isAssigned, issue, fields, agent, tool, spreadsheet }: AssignData) => {
    const back = ui.to(`/agents/${agent.id}`)
    return html`
      <a class="crumb" href="${back}">${icon('back')} ${agent.name}</a>
      <div><h1>${isAssigned ? `Configure ${tool.name}` : `Assign ${tool.name}`}</h1><p class="lead">${tool.description}</p></div>
      ${issue !== null && !form.isInvalid && html`<p class="notice" data-tone="warn">${issue}</p>`}
      ${pageForm(
        form,
        { class: 'stack form', novalidate: true },
        html`
          ${formMessage(form)}
          ${groupIssue({ form, name: 'tool_id', label: 'Tool' })}
          <section class="panel" aria-labelledby="config">
            <h2 id="config">Configuration for ${agent.name}</h2>
            ${
              spreadsheet
                ? html`
                  ${field({
                    form,
                    name: 'config.spreadsheet_id',
                    label: 'Spreadsheet',
                    value: spreadsheet.chosen,
                    options: spreadsheet.options,
                    required: true,
                    hint: 'The agent adds rows to this spreadsheet.',
                  })}
                  ${field({
                    form,
                    name: 'google_id',
                    label: 'Google spreadsheet',
                    value: spreadsheet.googleId,
                    placeholder: 'https://docs.google.com/spreadsheets/d/…',
                    hint: 'If you choose Google Sheets, enter the URL or ID of the spreadsheet.',
                  })}
                  <p class="hint">
                    Use one of <a href="${ui.to('/spreadsheets')}">this workspace's spreadsheets</a>, or Google Sheets with
                    <a href="${ui.to('/spreadsheets/google')}">a Google service account</a>.
                  </p>
                `
                : null
            }
            ${schemaFields(form, fields)}
            ${!spreadsheet && fields.length === 0 && html`<p class="soft small-text">This tool needs no configuration.</p>`}
          </section>
          <div class="form-actions">
            <button class="primary">${isAssigned ? 'Save' : 'Assign tool'}</button>
            <a class="button quiet" href="${back}">Cancel</a>
          </div>
        `,
      )}
    `
  },
)

const Config = z.record(z.string(), z.unknown()).catch({})

const usesSpreadsheet = (schema: { properties?: unknown }): boolean =>
  typeof schema.properties === 'object' && schema.properties !== null && 'spreadsheet_id' in schema.properties

/** Configures a tool for one agent. The form is generated from the JSON Schema of the tool's kind. */
export const assignToolPage = defineForm({
  params: AgentToolParams,
  query: noInput,
  form: z.record(boundedText(200), anyField()),
  show: async (deps, context) => {
    const { workspaceId, agentId, toolId } = agentToolKey(context)
    const agent = await getAgent(deps, workspaceId, agentId)
    const tool = await getTool(deps, workspaceId, toolId)
    const assignment = (await listAssignments(deps, workspaceId, agentId)).find(
      (one) => one.tool.id === toolId,
    )
    const config = Config.parse(assignment?.config)
    const schema = getConfigSchema(tool.kind)
    const fields = toFormFields(schema, 'config.', config)
    const withSpreadsheet = usesSpreadsheet(schema)
    return assignToolView(`${tool.name} for ${agent.name}`, {
      agent,
      tool,
      isAssigned: assignment !== undefined,
      issue: assignment?.issues[0]?.message ?? null,
      spreadsheet: withSpreadsheet
        ? toSpreadsheetChoice(await listSpreadsheets(deps, workspaceId), config)
        : null,
      fields: withSpreadsheet ? fields.filter(({ data }) => !spreadsheetFields.includes(data.name)) : fields,
    })
  },
  submit: async (tx, context, raw) => {
    const { workspaceId, agentId, toolId } = agentToolKey(context)
    const tool = await getTool(tx, workspaceId, toolId)
    const schema = getConfigSchema(tool.kind)
    const filled = parseFormFields(schema, 'config.', raw)
    const config = usesSpreadsheet(schema) ? { ...filled, ...parseSpreadsheetChoice(raw) } : filled
    await assignTool(tx, workspaceId, agentId, toolId, config).catch(toGoogleIdError(raw))
    return redirectTo(
      pathTo(context, `/agents/${agentId}`),
      `${tool.name} saved. The agent can use it now, even on calls in progress.`,
    )
  },
})

export const assignToolAction = defineAction({
  params: AgentToolParams,
  form: noInput,
  run: async (tx, context) => {
    const { workspaceId, agentId, toolId } = agentToolKey(context)
    await assignTool(tx, workspaceId, agentId, toolId, {})
    return redirectTo(
      agentPath(context),
      'Tool assigned. The agent can use it now, even on calls in progress.',
    )
  },
  back: agentPath,
})

export const unassignToolAction = defineAction({
  params: AgentToolParams,
  form: noInput,
  run: async (tx, context) => {
    const { workspaceId, agentId, toolId } = agentToolKey(context)
    await unassignTool(tx, workspaceId, agentId, toolId)
    return redirectTo(agentPath(context), 'Tool removed.')
  },
  back: agentPath,
})

const spreadsheetFields = ['config.spreadsheet_id', 'config.provider']

type ListedTool = Awaited<ReturnType<typeof listTools>>[number]
type Assignment = Awaited<ReturnType<typeof listAssignments>>[number]

/** A tool of the workspace, with the issues that keep an agent from using it. */
export interface AgentTool extends ListedTool {
  /** Null if the tool isn't assigned to the agent. */
  issues: Assignment['issues'] | null
}

/** @throws {ApiError} not_found if the agent doesn't exist */
export async function listAgentTools(
  deps: ToolDeps,
  workspaceId: number,
  agentId: number,
): Promise<AgentTool[]> {
  const assignments = await listAssignments(deps, workspaceId, agentId)
  const issues = new Map(assignments.map((assignment) => [assignment.tool.id, assignment.issues]))
  const tools = await listTools(deps, workspaceId)
  return tools.map((tool) => ({ ...tool, issues: issues.get(tool.id) ?? null }))
}

/** The spreadsheet that a tool writes to: one in the workspace, or a Google spreadsheet by its ID. */
interface SpreadsheetChoice {
  options: { value: string; label: string }[]
  chosen: string
  googleId: string
}

const googleSheetsOption = 'google:another'

function toSpreadsheetChoice(
  spreadsheets: readonly SpreadsheetSummary[],
  config: Readonly<Record<string, unknown>>,
): SpreadsheetChoice {
  const id = typeof config.spreadsheet_id === 'string' ? config.spreadsheet_id : ''
  const isGoogle = config.provider === 'google'
  const spreadsheetOptions = spreadsheets.map(({ id: value, name }) => ({ value, label: name }))
  return {
    options: [
      { value: '', label: 'Choose one' },
      ...spreadsheetOptions,
      { value: googleSheetsOption, label: 'Google Sheets' },
    ],
    chosen: isGoogle ? googleSheetsOption : id,
    googleId: isGoogle ? id : '',
  }
}

/** @throws {ApiError} validation_failed if no spreadsheet is chosen, or Google Sheets is chosen without an ID */
function parseSpreadsheetChoice(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const chosen = raw['config.spreadsheet_id']
  if (chosen === undefined) {
    throw invalidField('config.spreadsheet_id', 'required', 'Choose the spreadsheet to add rows to.')
  }
  if (chosen !== googleSheetsOption) return { spreadsheet_id: chosen, provider: 'database' }
  const id = raw.google_id
  if (typeof id !== 'string') {
    throw invalidField('google_id', 'required', 'Enter the URL or ID of the Google spreadsheet.')
  }
  return { spreadsheet_id: parseGoogleId(id.trim()), provider: 'google' }
}

/** Returns the spreadsheet ID. In a pasted URL, it's the part between /d/ and the next slash. */
const parseGoogleId = (text: string): string =>
  /^https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(text)?.[1] ?? text

/** Moves issues about a Google spreadsheet to the field where its ID was entered. */
const toGoogleIdError =
  (raw: Readonly<Record<string, unknown>>) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || raw['config.spreadsheet_id'] !== googleSheetsOption) throw error
    const details = error.details.map((detail) =>
      detail.field === 'config.spreadsheet_id'
        ? { ...detail, field: 'google_id', message: detail.message.replace(detail.field, 'google_id') }
        : detail,
    )
    throw new FormError(error.code, error.message, { details })
  }
