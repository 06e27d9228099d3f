import type { Deps } from '../deps.ts'
import { mergeSecrets, openSecrets, type SecretChanges, type ToolSecrets } from './custom/tool-secrets.ts'
import { HttpSettings } from './custom/tool-settings.ts'
import { parseTemplate } from './custom/url-template.ts'
import { requireNoIssues } from './custom/validate-custom-tool.ts'
import { checkHttpTool, type HttpToolValues } from './custom/validate-http-tool.ts'
import type { JsonSchema } from './json-schema/compile-schema.ts'
import { parseSettings, saveChangedTool, saveNewTool, type ToolToSave } from './save-custom-tool.ts'
import { toolNotFound } from './tool-catalog.ts'
import { selectTool } from './tool-store.ts'

type SaveDeps = Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox' | 'config'>

export interface HttpToolInput {
  name: string
  description: string
  inputSchema: JsonSchema
  method: HttpSettings['method']
  /** A template, see HttpSettings. */
  url: string
  headers?: Record<string, string>
  /** The secrets by the name that `{{secret.NAME}}` refers to. */
  secrets?: ToolSecrets
}

/**
 * Adds a tool that sends one HTTP request to a service of the workspace's choice.
 *
 * @throws {ApiError} validation_failed with a detail for each issue
 */
export async function addHttpTool(
  deps: SaveDeps,
  workspaceId: number,
  input: HttpToolInput,
): Promise<{ id: number }> {
  const tool = { headers: {}, secrets: {}, ...input }
  requireNoIssues(await checkHttpTool(deps.config, workspaceId, tool))
  return saveNewTool(deps, workspaceId, 'http', toHttpToolValues(tool))
}

/** Fields that are left out keep their values. */
type HttpToolEdit = Partial<Omit<HttpToolInput, 'secrets'>> & { secrets?: SecretChanges }

/**
 * Edits an HTTP tool. Open sessions get the new version immediately.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function editHttpTool(
  deps: SaveDeps,
  workspaceId: number,
  toolId: number,
  edit: HttpToolEdit,
): Promise<void> {
  const row = await selectTool(deps.db, workspaceId, 'http', toolId)
  if (row === undefined) throw toolNotFound()
  const settings = parseSettings(HttpSettings, row)
  const url = edit.url ?? settings.url
  // A new host doesn't get the saved secrets. Otherwise, people could read them by sending them to their own host.
  const currentSecrets = isSameOrigin(url, settings.url) ? openSecrets(deps.secretBox, row) : {}
  const tool = {
    name: edit.name ?? row.name,
    description: edit.description ?? row.description,
    inputSchema: edit.inputSchema ?? row.inputSchema,
    method: edit.method ?? settings.method,
    url,
    headers: edit.headers ?? settings.headers,
    secrets: mergeSecrets(currentSecrets, edit.secrets ?? {}),
  }
  requireNoIssues(await checkHttpTool(deps.config, workspaceId, tool))
  await saveChangedTool(deps, row, toHttpToolValues(tool))
}

const isSameOrigin = (one: string, other: string): boolean =>
  parseTemplate(one)?.origin === parseTemplate(other)?.origin

const toHttpToolValues = (tool: HttpToolValues): ToolToSave => ({
  name: tool.name,
  description: tool.description.trim(),
  inputSchema: tool.inputSchema,
  settings: { method: tool.method, url: tool.url, headers: tool.headers },
  secrets: tool.secrets,
})
