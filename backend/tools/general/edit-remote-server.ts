import type { Deps } from '../../deps.ts'
import { RemoteSettings } from '../custom/tool-settings.ts'
import { openSecrets } from '../custom/tool-secrets.ts'
import type { RemoteServerInput } from '../save-remote-server.ts'
import { mergeSecrets, type SecretChanges } from './merge-secrets.ts'
import { chooseTools, listServerTools, toRemoteServerRow } from '../custom/validate-remote-server.ts'
import { toolNotFound, parseSettings, saveChangedTool } from '../save-custom-tool.ts'
import { selectTool } from './store.ts'

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
export const editRemoteServer =
  (deps: Deps) =>
  async (workspaceId: number, toolId: number, edit: RemoteServerEdit): Promise<void> => {
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
