import type { Deps } from '../deps.ts'
import type { ListedRemoteTool } from './custom/list-remote-tools.ts'
import { mergeSecrets, openSecrets, type SecretChanges, type ToolSecrets } from './custom/tool-secrets.ts'
import { RemoteSettings } from './custom/tool-settings.ts'
import {
  chooseTools,
  listServerTools,
  type RemoteServer,
  toRemoteServerRow,
} from './custom/validate-remote-server.ts'
import { parseSettings, saveChangedTool, saveNewTool } from './save-custom-tool.ts'
import { toolNotFound } from './tool-catalog.ts'
import { selectTool } from './tool-store.ts'

export interface RemoteServerInput {
  /** Its tools become `<name>__<tool>`. */
  name: string
  description: string
  url: string
  transport?: RemoteSettings['transport']
  headers?: Record<string, string>
  /** By the name that `{{secret.NAME}}` refers to. */
  secrets?: ToolSecrets
}

/**
 * What a server would have to offer, for the choice among it.
 *
 * @throws {ApiError} validation_failed
 */
export const previewRemoteServer = (deps: Deps, input: RemoteServerInput): Promise<ListedRemoteTool[]> =>
  listServerTools(deps, withDefaults(input))

/**
 * Adds another MCP server, whose tools are passed on as they are listed now.
 *
 * @param input.tools the names of the chosen ones; undefined: all that can be passed on
 * @throws {ApiError} validation_failed, also where the server cannot be reached
 */
export async function addRemoteServer(
  deps: Deps,
  workspaceId: number,
  input: RemoteServerInput & { tools?: string[] },
): Promise<{ id: number }> {
  const server = withDefaults(input)
  const tools = chooseTools(await listServerTools(deps, server), input.tools)
  return saveNewTool(deps, workspaceId, 'remote_mcp', toRemoteServerRow(deps, server, tools))
}

const withDefaults = (input: RemoteServerInput): RemoteServer => ({
  name: input.name,
  description: input.description,
  url: input.url,
  transport: input.transport ?? 'auto',
  headers: input.headers ?? {},
  secrets: input.secrets ?? {},
})

/** What can be edited. What is left out stays; `tools` are names. */
export type RemoteServerEdit = Partial<Omit<RemoteServerInput, 'secrets'>> & {
  secrets?: SecretChanges
  tools?: string[]
}

/**
 * Edits a remote server, and lists its tools anew; sessions see them at once.
 *
 * @throws {ApiError} not_found, validation_failed, also where the server cannot be reached
 */
export async function editRemoteServer(
  deps: Deps,
  workspaceId: number,
  toolId: number,
  edit: RemoteServerEdit,
): Promise<void> {
  const row = await selectTool(deps.db, workspaceId, 'remote_mcp', toolId)
  if (row === undefined) throw toolNotFound()
  const settings = parseSettings(RemoteSettings, row)
  const url = edit.url ?? settings.url
  // Who may not read a secret must not have it sent elsewhere: for another host it is to be given again.
  const currentSecrets =
    parseOrigin(url) === parseOrigin(settings.url) ? openSecrets(deps.secretBox, row.secrets) : {}
  const server = {
    name: edit.name ?? row.name,
    description: edit.description ?? row.description,
    url,
    transport: edit.transport ?? settings.transport,
    headers: edit.headers ?? settings.headers,
    secrets: mergeSecrets(currentSecrets, edit.secrets ?? {}),
  }
  const listedTools = await listServerTools(deps, server)
  const tools = chooseTools(listedTools, edit.tools ?? settings.tools.map(({ name }) => name))
  await saveChangedTool(deps, row, toRemoteServerRow(deps, server, tools))
}

const parseOrigin = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/** How the tools of a server have changed, by name. */
export interface RefreshResult {
  /** Passed on, as they are listed now. */
  tools: string[]
  /** Were passed on, but are listed no longer, or cannot be passed on as they are now. */
  dropped: string[]
  /** Could be chosen too. */
  others: string[]
}

/**
 * Lists the tools of a remote server anew, and passes the chosen ones on as they are now.
 *
 * @throws {ApiError} not_found, validation_failed where the server cannot be reached
 */
export async function refreshRemoteServer(
  deps: Deps,
  workspaceId: number,
  toolId: number,
): Promise<RefreshResult> {
  const row = await selectTool(deps.db, workspaceId, 'remote_mcp', toolId)
  if (row === undefined) throw toolNotFound()
  const { tools: previousTools, ...settings } = parseSettings(RemoteSettings, row)
  const { name, description } = row
  const server = { name, description, ...settings, secrets: openSecrets(deps.secretBox, row.secrets) }
  const usable = (await listServerTools(deps, server)).filter(({ issues }) => issues.length === 0)
  const chosen = new Set(previousTools.map((tool) => tool.name))
  const tools = usable.filter((tool) => chosen.has(tool.name)).map((tool) => tool.name)
  await saveChangedTool(deps, row, toRemoteServerRow(deps, server, chooseTools(usable, tools)))
  return {
    tools,
    dropped: [...chosen].filter((tool) => !tools.includes(tool)),
    others: usable.map((tool) => tool.name).filter((tool) => !chosen.has(tool)),
  }
}

/**
 * What a remote server that was added offers now, and which of it was chosen.
 *
 * @throws {ApiError} not_found, validation_failed where the server cannot be reached
 */
export async function listRemoteServer(
  deps: Deps,
  workspaceId: number,
  toolId: number,
): Promise<{ listed: ListedRemoteTool[]; chosen: string[] }> {
  const row = await selectTool(deps.db, workspaceId, 'remote_mcp', toolId)
  if (row === undefined) throw toolNotFound()
  const { tools, ...settings } = parseSettings(RemoteSettings, row)
  const { name, description } = row
  const server = { name, description, ...settings, secrets: openSecrets(deps.secretBox, row.secrets) }
  return { listed: await listServerTools(deps, server), chosen: tools.map((tool) => tool.name) }
}
