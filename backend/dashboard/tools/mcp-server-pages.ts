import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { checks, field, formMessage, groupIssue, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { mergeSecrets } from '../../tools/custom/tool-secrets.ts'
import { RemoteSettings } from '../../tools/custom/tool-settings.ts'
import { findToolTextIssues } from '../../tools/custom/validate-custom-tool.ts'
import { findServerUrlIssues } from '../../tools/custom/validate-remote-server.ts'
import { addRemoteServer, editRemoteServer, listRemoteServer } from '../../tools/save-remote-server.ts'
import { getTool, toolNotFound } from '../../tools/tool-catalog.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { anyField, formText, StringList } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import {
  formatHeaders,
  HeadersField,
  loadEditedTool,
  parseHeaders,
  parseParts,
  parseSecrets,
} from './tool-form.ts'
import { type ToolFormFrame, toolFormFrame } from './tool-form-frame.ts'

interface ServerFormData extends ToolFormFrame {
  values: { name: string; description: string; url: string; transport: string }
}

const mcpServerFormView = defineView((page, data: ServerFormData) => {
  const { form } = page
  const { values } = data
  return toolFormFrame(page, data, {
    lead: 'Add an MCP server to let agents use its tools. Next, you select which tools they can use.',
    look: 'stack form',
    fields: html`
      ${groupIssue({ form, name: 'tools', label: 'Tools' })}
      <section class="panel" aria-labelledby="server">
        <h2 id="server">Server</h2>
        ${field({
          form,
          name: 'name',
          label: 'Name',
          value: values.name,
          required: true,
          maxlength: 64,
          placeholder: 'crm',
          code: true,
          autocomplete: 'off',
          hint: 'Becomes part of each tool name, for example crm__find_customer.',
        })}
        ${field({
          form,
          name: 'description',
          label: 'Description',
          value: values.description,
          required: true,
          rows: 2,
          maxlength: 4000,
          hint: 'What the server is for. Only members of this workspace see this.',
        })}
        ${field({
          form,
          name: 'url',
          label: 'URL',
          value: values.url,
          required: true,
          maxlength: 2000,
          code: true,
          inputmode: 'url',
          autocomplete: 'off',
          placeholder: 'https://mcp.example.com/mcp',
        })}
        ${field({
          form,
          name: 'transport',
          label: 'Transport',
          value: values.transport,
          options: transports,
          required: true,
        })}
      </section>
    `,
    hint: 'When you save, Outdial loads the list of tools from the server. This can take a few seconds.',
  })
})

const transports = [
  { value: 'auto', label: 'Detect automatically' },
  { value: 'streamable', label: 'Streamable HTTP' },
  { value: 'sse', label: 'HTTP with SSE (older servers)' },
]

const text = formText.default('')

const McpServerFields = z
  .object({
    name: text,
    description: text,
    url: text,
    transport: RemoteSettings.shape.transport,
    headers: HeadersField,
  })
  .catchall(anyField())

/** @param names of the server's saved secrets */
function parseMcpServer(
  { config }: Pick<Deps, 'config'>,
  raw: z.output<typeof McpServerFields>,
  names: readonly string[],
) {
  const { transport, description } = raw
  const name = raw.name.trim()
  const url = raw.url.trim()
  const parts = { headers: () => parseHeaders(raw.headers), secrets: () => parseSecrets(raw, names) }
  const otherIssues = [...findToolTextIssues({ name, description }), ...findServerUrlIssues(config, url)]
  return { ...parseParts(parts, otherIssues), name, description, transport, url }
}

/** Connects to the server first, so that an unreachable one isn't added. Then the user selects its tools. */
export const newMcpServerPage = defineForm({
  query: noInput,
  form: McpServerFields,
  isOnce: false,
  show: async () =>
    mcpServerFormView('Add MCP server', {
      back: { path: '/tools', label: 'Tools' },
      submitLabel: 'Add server',
      isNew: true,
      values: { name: '', description: '', url: '', transport: 'auto' },
      headers: '',
      secretNames: [],
    }),
  submit: async (deps, context, raw) => {
    const server = parseMcpServer(deps, raw, [])
    const newServer = { ...server, secrets: mergeSecrets({}, server.secrets), tools: [] }
    const { id } = await addRemoteServer(deps, context.workspace.id, newServer)
    return redirectTo(
      pathTo(context, `/tools/${id}/choose`),
      'Server added. Select the tools that agents can use.',
    )
  },
})

export const editMcpServerPage = defineForm({
  params: IdParams,
  query: noInput,
  form: McpServerFields,
  isOnce: false,
  show: async (deps, { workspace, params: { id: toolId } }) => {
    const tool = await getTool(deps, workspace.id, toolId)
    const settings = tool.kind === 'remote_mcp' ? RemoteSettings.safeParse(tool.settings) : undefined
    if (!settings?.success) throw toolNotFound()
    const { url, transport, headers } = settings.data
    const { name, description, secretNames } = tool
    return mcpServerFormView(`Edit ${name}`, {
      back: { path: `/tools/${toolId}`, label: name },
      submitLabel: 'Save',
      isNew: false,
      values: { name, description, url, transport },
      headers: formatHeaders(headers),
      secretNames,
    })
  },
  loadEdited: loadEditedTool,
  submit: async (deps, context, raw) => {
    const { workspace, params } = context
    const { secretNames } = await getTool(deps, workspace.id, params.id)
    await editRemoteServer(deps, workspace.id, params.id, parseMcpServer(deps, raw, secretNames))
    return redirectTo(pathTo(context, `/tools/${params.id}`), 'Server saved and its tools refreshed.')
  },
})

interface Choice {
  value: string
  label: string
  hint: string
}

interface ChooseData {
  tool: { id: number; name: string }
  /** Why the tools couldn't be listed; null if they could. */
  error: string | null
  choices: Choice[]
  chosen: string[]
  /** Tools that the server lists but that agents can't use. */
  unusable: { name: string; issues: string }[]
}

const chooseToolsView = defineView(
  ({ ui, here, form }, { error, choices, chosen, unusable, tool }: ChooseData) => {
    const back = ui.to(`/tools/${tool.id}`)
    return html`
      <a class="crumb" href="${back}">${icon('back')} ${tool.name}</a>
      <div>
        <h1>Select tools from ${tool.name}</h1>
        <p class="lead">
          Agents with this server can use the tools you select. The server name becomes part of each tool name, for example ${tool.name}__find.
        </p>
      </div>
      ${
        error
          ? html`
            <p class="notice" data-tone="bad" role="alert">${error}</p>
            <p class="row">
              <a class="button quiet" href="${here}">Try again</a>
              <a class="button quiet" href="${ui.to(`/tools/${tool.id}/edit-server`)}">Edit server</a>
            </p>
          `
          : pageForm(
              form,
              { class: 'stack form wide' },
              html`
                ${formMessage(form)}
                <section class="panel" aria-label="Tools">
                  ${
                    choices.length === 0
                      ? html`<p class="soft">This server has no tools that agents can use.</p>`
                      : checks({
                          form,
                          name: 'tools',
                          label: 'Tools agents can use',
                          options: choices,
                          values: chosen,
                        })
                  }
                </section>
                ${
                  unusable.length > 0 &&
                  html`
                    <section class="panel" aria-labelledby="unusable">
                      <h2 id="unusable">Unavailable tools</h2>
                      <dl class="facts">${unusable.map((one) => html`<dt>${one.name}</dt><dd>${one.issues}</dd>`)}</dl>
                    </section>
                  `
                }
                <div class="form-actions"><button class="primary">Save selection</button><a class="button quiet" href="${back}">Cancel</a></div>
              `,
            )
      }
    `
  },
)

const ChosenToolsFields = z.object({ tools: StringList })

/** Lets the user select which of a remote server's tools agents can use. The list of tools comes from the server. */
export const chooseServerToolsPage = defineForm({
  params: IdParams,
  query: noInput,
  form: ChosenToolsFields,
  isOnce: false,
  show: async (deps, { workspace, params: { id: toolId } }) => {
    const { name } = await getTool(deps, workspace.id, toolId)
    const listing = await listRemoteServer(deps, workspace.id, toolId).catch(toListError)
    const { listed, chosen } = typeof listing === 'string' ? { listed: [], chosen: [] } : listing
    const usable = listed.filter(({ issues }) => issues.length === 0)
    return chooseToolsView(`Select tools from ${name}`, {
      tool: { id: toolId, name },
      error: typeof listing === 'string' ? listing : null,
      choices: usable.map((tool) => ({
        value: tool.name,
        label: tool.name,
        hint: `${tool.readOnly ? 'Read-only, according to the server. ' : ''}${tool.description}`,
      })),
      chosen,
      unusable: listed.flatMap((tool) =>
        tool.issues.length === 0 ? [] : [{ name: tool.name, issues: tool.issues.slice(0, 3).join(' ') }],
      ),
    })
  },
  submit: async (deps, context, { tools }) => {
    await editRemoteServer(deps, context.workspace.id, context.params.id, { tools })
    const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`
    return redirectTo(
      pathTo(context, `/tools/${context.params.id}`),
      `${count} selected. To use the server, assign it on an agent's page.`,
    )
  },
})

function toListError(error: unknown): string {
  if (error instanceof ApiError && error.code === 'validation_failed') return error.message
  throw error
}
