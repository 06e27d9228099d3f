import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { openToolClient, type ToolClient, toolSessionUrl } from '../../calling/telephony/tool-client.ts'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { releaseRequestSlot } from '../../platform/core/request-slot.ts'
import { badge } from '../../platform/views/elements.ts'
import { formMessage, pageForm } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { listAssignments } from '../../tools/assignments.ts'
import type { ToolDeps } from '../../tools/kinds/tool-kind.ts'
import { getTool, toolNotFound } from '../../tools/tool-catalog.ts'
import { defineForm, defineView, redirectTo } from '../page/define-page.ts'
import { anyField } from '../page/forms.ts'
import { pathTo } from '../page/page-context.ts'
import type { Ui } from '../page/page-model.ts'
import { markSubmitted } from '../page/submit-once.ts'
import { type AgentWithCounts, getAgent } from './agent-queries.ts'
import { type AgentToolContext, agentToolKey, AgentToolParams } from './agent-tool-pages.ts'
import { parseFormFields, type SchemaField, schemaFields, toFormFields } from './schema-fields.ts'

interface TryToolData {
  agent: AgentWithCounts
  /** Why the tool can't be tried now; null if it can. */
  unavailableReason: string | null
  formPath: string
  tool: { name: string; description: string; hasEffects: boolean }
  /** The server's tools, to switch between. Empty unless there are at least two. */
  choices: { name: string; path: string; isCurrent: boolean }[]
  fields: SchemaField[]
  trial: Trial | null
}

const tryToolView = defineView(
  ({ ui, form }, { choices, unavailableReason, formPath, fields, agent, tool, trial }: TryToolData) => {
    const back = ui.to(`/agents/${agent.id}`)
    return html`
      <a class="crumb" href="${back}">${icon('back')} ${agent.name}</a>
      <h1>Try ${tool.name}</h1>
      <section id="try" class="panel" aria-labelledby="try-head" aria-live="polite">
        <div><h2 id="try-head">Try ${tool.name}</h2><p class="soft small-text">${tool.description}</p></div>
        ${
          choices.length > 0 &&
          html`
            <p class="row small-text">
              ${choices.map(
                (choice) => html`
                  <a
                    class="button quiet small"
                    href="${choice.path}"${attributes({ 'aria-current': choice.isCurrent ? 'true' : null })}
                    hx-get="${choice.path}"
                    hx-sync="#try:replace"
                    hx-target="#try"
                    hx-select="#try"
                    hx-swap="outerHTML ignoreTitle:true"
                  >${choice.name}</a>
                `,
              )}
            </p>
          `
        }
        ${
          unavailableReason
            ? html`
              <p class="notice" data-tone="warn">${unavailableReason}</p>
              <p><a class="button quiet small" href="${back}">Back to ${agent.name}</a></p>
            `
            : html`
              ${
                tool.hasEffects &&
                html`
                  <p class="notice" data-tone="warn">
                    This isn't a simulation. The tool runs for real with the values you enter.
                  </p>
                `
              }
              ${pageForm(
                form,
                {
                  action: formPath,
                  class: 'stack form',
                  novalidate: true,
                  'hx-sync': 'this:drop',
                  'hx-post': formPath,
                  'hx-target': '#try',
                  'hx-select': '#try',
                  'hx-swap': 'outerHTML ignoreTitle:true',
                  'hx-status:409': 'select:#try',
                  'hx-status:413': 'select:#try',
                  'hx-status:422': 'select:#try',
                  'hx-status:429': 'select:#try',
                },
                html`
                  ${formMessage(form)}
                  ${fields.length === 0 && html`<p class="soft small-text">This tool has no arguments.</p>`}
                  ${schemaFields(form, fields)}
                  <p class="hint">
                    The tool runs for ${agent.name}, but outside a call, so it doesn't know which contact to use. If the form has a
                    phone number field, enter the contact's number.
                  </p>
                  <div class="form-actions">
                    <button class="primary small">${tool.hasEffects ? 'Run tool for real' : 'Run tool'}</button>
                    <a class="button quiet small" href="${back}">Cancel</a>
                  </div>
                `,
              )}
            `
        }
        ${trial === null ? null : trialResult(ui, trial)}
      </section>
    `
  },
)

/** Maximum length of an argument: what an agent can send in a message (256 KiB), and spaces in the JSON. */
const maxArgumentLength = 300_000

const Query = z.object({ tool: boundedText(200).optional().catch(undefined) })

/** Runs one of the agent's tools for real, and shows the result that the agent would get. */
export const tryToolPage = defineForm({
  params: AgentToolParams,
  query: Query,
  form: z.record(boundedText(200), anyField(maxArgumentLength)),
  isOnce: false,
  show: async (deps, context) => {
    const chosen = await chooseTool(deps, context, context.query.tool)
    return toView(chosen, toFormFields(chosen.schema, prefix, {}), null)
  },
  submit: async (deps, context, raw) => {
    const chosen = await chooseTool(deps, context, context.query.tool)
    if (chosen.unavailableReason !== null) throw new FormError('agent_not_live', chosen.unavailableReason)
    const args = parseFormFields(chosen.schema, prefix, raw)
    const path = pathTo(context, `/agents/${context.params.id}/tools/${context.params.toolId}/try`)
    if (!(await markSubmitted(deps, context, path, raw))) {
      return redirectTo(path, "You already submitted this form. The tool wasn't run again.")
    }
    const trial = await tryTool(deps, chosen.widgetId, chosen.data.tool.name, args)
    return toView(chosen, toFormFields(chosen.schema, prefix, args), trial)
  },
})

const prefix = 'args.'

type ChosenTool = Awaited<ReturnType<typeof chooseTool>>

const toView = ({ data, unavailableReason }: ChosenTool, fields: SchemaField[], trial: Trial | null) =>
  tryToolView(`Try ${data.tool.name}`, { ...data, unavailableReason, fields, trial })

/** @throws {ApiError} not_found, also if the tool isn't assigned to the agent */
async function chooseTool(deps: ToolDeps, context: AgentToolContext, name: string | undefined) {
  const { workspaceId, agentId, toolId } = agentToolKey(context)
  const agent = await getAgent(deps, workspaceId, agentId)
  const assignments = await listAssignments(deps, workspaceId, agentId)
  const assignment = assignments.find(({ tool }) => tool.id === toolId)
  if (assignment === undefined) throw toolNotFound()
  const {
    definitions: storedDefinitions,
    effects,
    isActive,
    ...tool
  } = await getTool(deps, workspaceId, toolId)
  const definitions = storedDefinitions === 'unreadable' ? [] : storedDefinitions
  const definition = name === undefined ? definitions[0] : definitions.find((one) => one.name === name)
  if (definition === undefined && name !== undefined) throw toolNotFound()
  const path = (one: string) =>
    pathTo(context, `/agents/${agentId}/tools/${toolId}/try?tool=${encodeURIComponent(one)}`)
  const shownDefinition = definition ?? { name: tool.name, description: tool.description, inputSchema: {} }
  return {
    widgetId: agent.widget_id,
    schema: shownDefinition.inputSchema,
    unavailableReason: findUnavailableReason({
      agent,
      isActive,
      hasDefinition: definition !== undefined,
      issue: assignment.issues[0]?.message,
    }),
    data: {
      agent,
      formPath: path(shownDefinition.name),
      tool: {
        name: shownDefinition.name,
        description: shownDefinition.description,
        hasEffects: effects.includes(shownDefinition.name),
      },
      choices: (definitions.length > 1 ? definitions : []).map(({ name: one }) => ({
        name: one,
        path: path(one),
        isCurrent: one === shownDefinition.name,
      })),
    },
  }
}

function findUnavailableReason(state: {
  agent: { name: string; status: string }
  isActive: boolean
  hasDefinition: boolean
  issue: string | undefined
}): string | null {
  const { agent, isActive, hasDefinition, issue } = state
  if (agent.status !== 'live') {
    const verb = agent.status === 'draft' ? 'Publish' : 'Resume'
    return `${agent.name} is ${agent.status === 'draft' ? 'a draft' : 'paused'}, and only Live agents can use tools. ${verb} the agent to try this tool.`
  }
  if (!isActive) return 'This tool is turned off for all agents. Turn it on to try it.'
  if (issue !== undefined) return `The tool isn't set up for this agent. ${issue}`
  return hasDefinition
    ? null
    : 'No tools from this server are selected. Open the server under Tools and select the tools that agents can use.'
}

type Trial =
  | { kind: 'completed'; text: string; isError: boolean; milliseconds: number }
  /** The tool server returned no result. */
  | { kind: 'failed'; reason: string }

/** Timeouts for opening a session and calling the tool. They're slightly longer than the tool server's timeouts. */
const timeoutsMs = { open: 10 * secondMs, call: 25 * secondMs }

function trialResult(ui: Ui, trial: Trial): Html {
  if (trial.kind === 'failed') return html`<p class="notice" data-tone="bad" role="alert">${trial.reason}</p>`
  return html`
    <div class="stack">
      <p class="row">
        <strong>Result for the agent</strong>
        ${trial.isError ? badge({ tone: 'bad', text: 'Error' }) : badge({ tone: 'good', text: 'Success' })}
        <span class="soft small-text">${ui.count(trial.milliseconds)} ms</span>
      </p>
      <pre tabindex="0">${trial.text}</pre>
    </div>
  `
}

/** Runs a tool the way an agent runtime does: over HTTP, in a tool session. The session doesn't belong to a call. */
async function tryTool(
  { config, runtimeSecrets }: Pick<Deps, 'config' | 'runtimeSecrets'>,
  widgetId: string,
  name: string,
  args: Record<string, unknown>,
): Promise<Trial> {
  const [secret] = runtimeSecrets()
  if (secret === undefined)
    return failed('No runtime secret is set. Ask your Outdial administrator to set RUNTIME_SECRET.')
  const url = toolSessionUrl(config.internalUrl, { widgetId })
  releaseRequestSlot()
  const session = await openToolClient(url, secret, AbortSignal.timeout(timeoutsMs.open)).catch(toReason)
  if (typeof session === 'string') return failed(session)
  try {
    if (!session.tools.has(name))
      return failed(
        `The tool server doesn't offer ${name} to this agent. Check that the tool is still assigned to the agent.`,
      )
    return await callTool(session, name, args)
  } finally {
    await session.close()
  }
}

async function callTool(session: ToolClient, name: string, args: Record<string, unknown>): Promise<Trial> {
  const startedAt = performance.now()
  try {
    const { text, isError } = await session.call(name, args, AbortSignal.timeout(timeoutsMs.call))
    return { kind: 'completed', text, isError, milliseconds: Math.round(performance.now() - startedAt) }
  } catch (error) {
    return failed(
      `The tool server didn't respond${formatErrorName(error)}. The tool may or may not have run. Before you try again, check whether it took effect.`,
    )
  }
}

const failed = (reason: string): Trial => ({ kind: 'failed', reason })

/** Describes an error. Doesn't quote the server's message, because it contains URLs. */
function toReason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (code === 401)
    return 'The tool server rejected the runtime secret. Ask your Outdial administrator to check the setting RUNTIME_SECRET.'
  if (code === 403)
    return 'The tool server rejected the request. Check that the agent is Live. If it is, ask your Outdial administrator to check the setting INTERNAL_URL.'
  const administrator = 'Ask your Outdial administrator to check the setting INTERNAL_URL.'
  return `The tool server can't be reached${formatErrorName(error)}. ${administrator}`
}

const formatErrorName = (error: unknown): string => (error instanceof Error ? ` (${error.name})` : '')
