import type { Deps } from '../deps.ts'
import { HttpSettings } from './kinds/http/settings.ts'
import { parseTemplate } from './custom/url-template.ts'
import { openSecrets } from './custom/tool-secrets.ts'
import { type HttpToolInput, toHttpToolRow } from './general/add-http-tool.ts'
import { requireNoIssues } from './custom/validate-custom-tool.ts'
import { checkHttpTool } from './custom/validate-http-tool.ts'
import { mergeSecrets, type SecretChanges } from './general/merge-secrets.ts'
import { toolNotFound, parseSettings, saveChangedTool } from './save-custom-tool.ts'
import { selectTool } from './general/store.ts'

/** What can be edited. What is left out stays. */
export type HttpToolEdit = Partial<Omit<HttpToolInput, 'secrets'>> & { secrets?: SecretChanges }

/**
 * Edits an HTTP tool; sessions see the new version at once.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editHttpTool =
  (deps: Deps) =>
  async (workspaceId: number, toolId: number, edit: HttpToolEdit): Promise<void> => {
    const row = await selectTool(deps.db, workspaceId, 'http', toolId)
    if (row === undefined) throw toolNotFound()
    const settings = parseSettings(HttpSettings, row)
    const url = edit.url ?? settings.url
    // Who may not read a secret must not have it sent elsewhere: for another host it is to be given again.
    const currentSecrets = isSameOrigin(url, settings.url) ? openSecrets(deps.secretBox, row.secrets) : {}
    const tool = {
      name: edit.name ?? row.name,
      description: edit.description ?? row.description,
      inputSchema: edit.inputSchema ?? row.inputSchema,
      method: edit.method ?? settings.method,
      url,
      headers: edit.headers ?? settings.headers,
      secrets: mergeSecrets(currentSecrets, edit.secrets ?? {}),
    }
    requireNoIssues(checkHttpTool(deps.config, tool))
    await saveChangedTool(deps, row, toHttpToolRow(deps, tool))
  }

const isSameOrigin = (one: string, other: string): boolean =>
  parseTemplate(one)?.origin === parseTemplate(other)?.origin
