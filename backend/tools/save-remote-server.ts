import type { Deps } from '../deps.ts'
import type { ListedRemoteTool } from './custom/list-remote-tools.ts'
import type { RemoteSettings } from './custom/tool-settings.ts'
import type { ToolSecrets } from './custom/tool-secrets.ts'
import {
  chooseTools,
  listServerTools,
  toRemoteServerRow,
  type RemoteServer,
} from './custom/validate-remote-server.ts'
import { saveNewTool } from './save-custom-tool.ts'

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
export const previewRemoteServer =
  (deps: Deps) =>
  (input: RemoteServerInput): Promise<ListedRemoteTool[]> =>
    listServerTools(deps, withDefaults(input))

/**
 * Adds another MCP server, whose tools are passed on as they are listed now.
 *
 * @param input.tools the names of the chosen ones; undefined: all that can be passed on
 * @throws {ApiError} validation_failed, also where the server cannot be reached
 */
export const addRemoteServer =
  (deps: Deps) =>
  async (workspaceId: number, input: RemoteServerInput & { tools?: string[] }): Promise<{ id: number }> => {
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
