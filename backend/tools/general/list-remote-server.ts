import type { Deps } from '../../deps.ts'
import type { ListedRemoteTool } from '../custom/list-remote-tools.ts'
import { RemoteSettings } from '../custom/tool-settings.ts'
import { openSecrets } from '../custom/tool-secrets.ts'
import { listServerTools } from '../custom/validate-remote-server.ts'
import { toolNotFound, parseSettings } from '../save-custom-tool.ts'
import { selectTool } from './store.ts'

/**
 * What a remote server that was added offers now, and which of it was chosen.
 *
 * @throws {ApiError} not_found, validation_failed where the server cannot be reached
 */
export const listRemoteServer =
  (deps: Deps) =>
  async (workspaceId: number, toolId: number): Promise<{ listed: ListedRemoteTool[]; chosen: string[] }> => {
    const row = await selectTool(deps.db, workspaceId, 'remote_mcp', toolId)
    if (row === undefined) throw toolNotFound()
    const { tools, ...settings } = parseSettings(RemoteSettings, row)
    const { name, description } = row
    const server = { name, description, ...settings, secrets: openSecrets(deps.secretBox, row.secrets) }
    return { listed: await listServerTools(deps, server), chosen: tools.map((tool) => tool.name) }
  }
