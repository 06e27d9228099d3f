import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { addRemoteServer } from '../../tools/save-remote-server.ts'
import { checkDescription, checkName } from '../../tools/custom/validate-custom-tool.ts'
import { editRemoteServer } from '../../tools/general/edit-remote-server.ts'
import { mergeSecrets } from '../../tools/general/merge-secrets.ts'
import { noSuchTool } from '../../tools/save-custom-tool.ts'
import { getTool } from '../../tools/get-tool.ts'
import { RemoteSettings } from '../../tools/custom/tool-settings.ts'
import { form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { editedOf } from './edited.ts'
import { readHeaders, writeHeaders } from './headers.ts'
import { readAll } from './read-all.ts'
import { newSecrets, readSecrets } from './tool-form.ts'

interface ServerFormData {
  /** Null for a new server. */
  tool: { id: number } | null
  values: { name: string; description: string; url: string; transport: string; headers: string }
  transports: { value: string; label: string }[]
  secretNames: string[]
  newSecrets: number[]
}

const page = template<ServerFormData>('dashboard/tools/mcp-server-form-page')

const transports = [
  { value: 'auto', label: 'Find out by itself' },
  { value: 'streamable', label: 'Streamable HTTP' },
  { value: 'sse', label: 'HTTP with SSE (older servers)' },
]

const text = z.string().default('')
const Fields = z.looseObject({
  name: text,
  description: text,
  url: text,
  transport: RemoteSettings.shape.transport,
  headers: text,
})

/** @param names of the secrets that the server has */
function readServer(raw: z.output<typeof Fields>, names: readonly string[]) {
  const { transport, description } = raw
  const name = raw.name.trim()
  const parts = { headers: () => readHeaders(raw.headers), secrets: () => readSecrets(raw, names) }
  const read = readAll(parts, [...checkName(name), ...checkDescription(description)])
  return { ...read, name, description, transport, url: raw.url.trim() }
}

/** The server is asked first, so that what cannot be reached is not added; then the person chooses among its tools. */
export const newServerPage = (deps: Deps) =>
  form({
    path: '/tools/new-server',
    query: none,
    form: Fields,
    isOnce: false,
    show: async () =>
      page('New MCP server', {
        tool: null,
        values: { name: '', description: '', url: '', transport: 'auto', headers: '' },
        ...{ transports, newSecrets, secretNames: [] },
      }),
    submit: async (_, visit, raw) => {
      const server = readServer(raw, [])
      const own = { ...server, secrets: mergeSecrets({}, server.secrets), tools: [] }
      const { id } = await addRemoteServer(deps)(visit.workspace.id, own)
      return done(
        pathTo(visit, `/tools/${id}/choose`),
        'The server is added. Choose which of its tools agents may have.',
      )
    },
  })

export const editServerPage = (deps: Deps) =>
  form({
    path: '/tools/:id/edit-server',
    query: none,
    form: Fields,
    isOnce: false,
    show: async ({ workspace, id: toolId }) => {
      const tool = await getTool(deps)({ workspaceId: workspace.id, toolId })
      const settings = tool.kind === 'remote_mcp' ? RemoteSettings.safeParse(tool.settings) : undefined
      if (!settings?.success) throw noSuchTool()
      const { url, transport, headers } = settings.data
      const { name, description, secretNames } = tool
      return page(`Edit ${name}`, {
        tool: { id: toolId },
        values: { name, description, url, transport, headers: writeHeaders(headers) },
        ...{ transports, newSecrets, secretNames },
      })
    },
    edited: editedOf,
    submit: async (_, visit, raw) => {
      const key = { workspaceId: visit.workspace.id, toolId: visit.id }
      const { secretNames } = await getTool(deps)(key)
      await editRemoteServer(deps)(key.workspaceId, key.toolId, readServer(raw, secretNames))
      return done(pathTo(visit, `/tools/${visit.id}`), 'Saved. The server was asked for its tools anew.')
    },
  })
