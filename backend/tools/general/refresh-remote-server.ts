import type { Deps } from '../../deps.ts'
import { RemoteSettings } from '../custom/tool-settings.ts'
import { openSecrets } from '../custom/tool-secrets.ts'
import { chooseTools, listServerTools, toRemoteServerRow } from '../custom/validate-remote-server.ts'
import { toolNotFound, parseSettings, saveChangedTool } from '../save-custom-tool.ts'
import { selectTool } from './store.ts'

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
export const refreshRemoteServer =
  (deps: Deps) =>
  async (workspaceId: number, toolId: number): Promise<RefreshResult> => {
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
