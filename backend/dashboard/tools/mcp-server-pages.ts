import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { addRemoteServer } from '../../tools/save-remote-server.ts'
import { checkDescription, checkName } from '../../tools/custom/validate-custom-tool.ts'
import { editRemoteServer } from '../../tools/general/edit-remote-server.ts'
import { mergeSecrets } from '../../tools/general/merge-secrets.ts'
import { toolNotFound } from '../../tools/save-custom-tool.ts'
import { getTool } from '../../tools/get-tool.ts'
import { RemoteSettings } from '../../tools/custom/tool-settings.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { loadEditedTool } from './edited.ts'
import { parseHeaders, formatHeaders } from './headers.ts'
import { parseParts } from './read-all.ts'
import { newSecretNumbers, parseSecrets } from './tool-form.ts'

interface ServerFormData {
  /** Null for a new server. */
  tool: { id: number } | null
  values: { name: string; description: string; url: string; transport: string; headers: string }
  transports: { value: string; label: string }[]
  secretNames: string[]
  newSecrets: number[]
}

const mcpServerFormView = template<ServerFormData>('dashboard/tools/mcp-server-form-page')

const transports = [
  { value: 'auto', label: 'Find out by itself' },
  { value: 'streamable', label: 'Streamable HTTP' },
  { value: 'sse', label: 'HTTP with SSE (older servers)' },
]

const text = z.string().default('')
const McpServerFields = z.looseObject({
  name: text,
  description: text,
  url: text,
  transport: RemoteSettings.shape.transport,
  headers: text,
})

/** @param names of the secrets that the server has */
function parseMcpServer(raw: z.output<typeof McpServerFields>, names: readonly string[]) {
  const { transport, description } = raw
  const name = raw.name.trim()
  const parts = { headers: () => parseHeaders(raw.headers), secrets: () => parseSecrets(raw, names) }
  const read = parseParts(parts, [...checkName(name), ...checkDescription(description)])
  return { ...read, name, description, transport, url: raw.url.trim() }
}

/** The server is asked first, so that what cannot be reached is not added; then the person chooses among its tools. */
export const newMcpServerPage = (deps: Deps) =>
  formRoute({
    path: '/tools/new-server',
    query: noInput,
    form: McpServerFields,
    isOnce: false,
    show: async () =>
      mcpServerFormView('New MCP server', {
        tool: null,
        values: { name: '', description: '', url: '', transport: 'auto', headers: '' },
        ...{ transports, newSecrets: newSecretNumbers, secretNames: [] },
      }),
    submit: async (_, context, raw) => {
      const server = parseMcpServer(raw, [])
      const newServer = { ...server, secrets: mergeSecrets({}, server.secrets), tools: [] }
      const { id } = await addRemoteServer(deps)(context.workspace.id, newServer)
      return redirectTo(
        pathTo(context, `/tools/${id}/choose`),
        'The server is added. Choose which of its tools agents may have.',
      )
    },
  })

export const editMcpServerPage = (deps: Deps) =>
  formRoute({
    path: '/tools/:id/edit-server',
    query: noInput,
    form: McpServerFields,
    isOnce: false,
    show: async ({ workspace, id: toolId }) => {
      const tool = await getTool(deps)({ workspaceId: workspace.id, toolId })
      const settings = tool.kind === 'remote_mcp' ? RemoteSettings.safeParse(tool.settings) : undefined
      if (!settings?.success) throw toolNotFound()
      const { url, transport, headers } = settings.data
      const { name, description, secretNames } = tool
      return mcpServerFormView(`Edit ${name}`, {
        tool: { id: toolId },
        values: { name, description, url, transport, headers: formatHeaders(headers) },
        ...{ transports, newSecrets: newSecretNumbers, secretNames },
      })
    },
    loadEdited: loadEditedTool,
    submit: async (_, context, raw) => {
      const key = { workspaceId: context.workspace.id, toolId: context.id }
      const { secretNames } = await getTool(deps)(key)
      await editRemoteServer(deps)(key.workspaceId, key.toolId, parseMcpServer(raw, secretNames))
      return redirectTo(
        pathTo(context, `/tools/${context.id}`),
        'Saved. The server was asked for its tools anew.',
      )
    },
  })
