import type { Deps } from '../deps.ts'
import type { ListedRemoteTool } from './custom/list-remote-tools.ts'
import { mergeSecrets, openSecrets, type SecretChanges, type ToolSecrets } from './custom/tool-secrets.ts'
import { RemoteSettings } from './custom/tool-settings.ts'
import {
  chooseTools,
  listServerTools,
  type RemoteServer,
  toRemoteServerValues,
} from './custom/validate-remote-server.ts'
import type { ToolRow } from './kinds/tool-kind.ts'
import { parseSettings, saveChangedTool, saveNewTool } from './save-custom-tool.ts'
import { toolNotFound } from './tool-catalog.ts'
import { selectTool } from './tool-store.ts'

export interface RemoteServerInput {
  /** The name of the server. Its tools become `<name>__<tool>`. */
  name: string
  description: string
  url: string
  transport?: RemoteSettings['transport']
  headers?: Record<string, string>
  /** The secrets by the name that `{{secret.NAME}}` refers to. */
  secrets?: ToolSecrets
}

type SaveDeps = Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox' | 'config'>

/**
 * Adds a remote MCP server and saves its tools as the server lists them now. Agents get the saved tools.
 *
 * @param input.tools names of the tools to offer; by default, every tool that can be offered
 * @throws {ApiError} validation_failed, also if the server can't be reached
 */
export async function addRemoteServer(
  deps: SaveDeps,
  workspaceId: number,
  input: RemoteServerInput & { tools?: string[] },
): Promise<{ id: number }> {
  const server: RemoteServer = {
    name: input.name,
    description: input.description,
    url: input.url,
    transport: input.transport ?? 'auto',
    headers: input.headers ?? {},
    secrets: input.secrets ?? {},
  }
  const tools = chooseTools(await listServerTools(deps, workspaceId, server), input.tools)
  return saveNewTool(deps, workspaceId, 'remote_mcp', toRemoteServerValues(server, tools))
}

/** Fields that are left out keep their values. `tools` has the names of the chosen tools. */
type RemoteServerEdit = Partial<Omit<RemoteServerInput, 'secrets'>> & {
  secrets?: SecretChanges
  tools?: string[]
}

/**
 * Edits a remote server and lists its tools again. Open sessions get the changed tools immediately.
 *
 * @throws {ApiError} not_found, validation_failed, also if the server can't be reached
 */
export async function editRemoteServer(
  deps: SaveDeps,
  workspaceId: number,
  toolId: number,
  edit: RemoteServerEdit,
): Promise<void> {
  const { row, settings } = await loadRow(deps, workspaceId, toolId)
  const url = edit.url ?? settings.url
  // A new host doesn't get the saved secrets. Otherwise, people could read them by sending them to their own host.
  const isSameOrigin = parseOrigin(url) === parseOrigin(settings.url)
  const currentSecrets = isSameOrigin ? openSecrets(deps.secretBox, row) : {}
  const edited: RemoteServer = {
    name: edit.name ?? row.name,
    description: edit.description ?? row.description,
    url,
    transport: edit.transport ?? settings.transport,
    headers: edit.headers ?? settings.headers,
    secrets: mergeSecrets(currentSecrets, edit.secrets ?? {}),
  }
  const tools = chooseTools(
    await listServerTools(deps, workspaceId, edited),
    edit.tools ?? getNames(settings.tools),
  )
  await saveChangedTool(deps, row, toRemoteServerValues(edited, tools))
}

const parseOrigin = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/** The outcome of a refresh. All lists contain names of the server's tools. */
export interface RefreshResult {
  /** The chosen tools, which agents now get as the server lists them. */
  tools: string[]
  /** Chosen tools that are no longer listed or no longer usable. */
  dropped: string[]
  /** Usable tools that weren't chosen. */
  others: string[]
}

/**
 * Lists the tools of a remote server again, and saves the chosen ones as they are now.
 *
 * @throws {ApiError} not_found, validation_failed if the server can't be reached
 */
export async function refreshRemoteServer(
  deps: SaveDeps,
  workspaceId: number,
  toolId: number,
): Promise<RefreshResult> {
  const { row, server, chosen } = await loadRemoteServer(deps, workspaceId, toolId)
  const usable = (await listServerTools(deps, workspaceId, server)).filter(
    ({ issues }) => issues.length === 0,
  )
  const names = getNames(usable)
  const tools = names.filter((name) => chosen.includes(name))
  await saveChangedTool(deps, row, toRemoteServerValues(server, chooseTools(usable, tools)))
  return {
    tools,
    dropped: chosen.filter((name) => !tools.includes(name)),
    others: names.filter((name) => !chosen.includes(name)),
  }
}

/**
 * Lists the tools that a remote server offers now, and the names of those that were chosen.
 *
 * @throws {ApiError} not_found, validation_failed if the server can't be reached
 */
export async function listRemoteServer(
  deps: Pick<Deps, 'db' | 'secretBox' | 'config'>,
  workspaceId: number,
  toolId: number,
): Promise<{ listed: ListedRemoteTool[]; chosen: string[] }> {
  const { server, chosen } = await loadRemoteServer(deps, workspaceId, toolId)
  return { listed: await listServerTools(deps, workspaceId, server), chosen }
}

/** @throws {ApiError} not_found; validation_failed if the server's settings can't be read */
async function loadRow(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  toolId: number,
): Promise<{ row: ToolRow; settings: RemoteSettings }> {
  const row = await selectTool(db, workspaceId, 'remote_mcp', toolId)
  if (row === undefined) throw toolNotFound()
  return { row, settings: parseSettings(RemoteSettings, row) }
}

/** Loads a saved server, with the names of its chosen tools. Throws the same errors as `loadRow`. */
async function loadRemoteServer(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  workspaceId: number,
  toolId: number,
): Promise<{ row: ToolRow; server: RemoteServer; chosen: string[] }> {
  const { row, settings } = await loadRow(deps, workspaceId, toolId)
  const { name, description } = row
  const { tools, ...address } = settings
  const server = { name, description, ...address, secrets: openSecrets(deps.secretBox, row) }
  return { row, server, chosen: getNames(tools) }
}

const getNames = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name)
