import type { Deps } from '../../deps.ts'
import type { HttpSettings } from '../kinds/http/settings.ts'
import type { JsonSchema } from '../kinds/tool-kind.ts'
import { sealSecrets, type ToolSecrets } from '../custom/tool-secrets.ts'
import { requireNoIssues } from '../custom/validate-custom-tool.ts'
import { checkHttpTool, type HttpToolValues } from '../custom/validate-http-tool.ts'
import { saveNewTool } from '../save-custom-tool.ts'
import type { ToolValues } from './store.ts'

export interface HttpToolInput {
  name: string
  description: string
  inputSchema: JsonSchema
  method: HttpSettings['method']
  /** A template, see HttpSettings. */
  url: string
  headers?: Record<string, string>
  /** By the name that `{{secret.NAME}}` refers to. */
  secrets?: ToolSecrets
}

/**
 * Makes a tool that sends one HTTP request to a service of the workspace's choice.
 *
 * @throws {ApiError} validation_failed, with a detail for each fault
 */
export const addHttpTool =
  (deps: Deps) =>
  async (workspaceId: number, input: HttpToolInput): Promise<{ id: number }> => {
    const tool = { headers: {}, secrets: {}, ...input }
    requireNoIssues(checkHttpTool(deps.config, tool))
    return saveNewTool(deps, workspaceId, 'http', toHttpToolRow(deps, tool))
  }

/** As its row keeps it. */
export const toHttpToolRow = ({ secretBox }: Pick<Deps, 'secretBox'>, tool: HttpToolValues): ToolValues => ({
  name: tool.name,
  description: tool.description.trim(),
  inputSchema: tool.inputSchema,
  settings: { method: tool.method, url: tool.url, headers: tool.headers },
  secrets: sealSecrets(secretBox, tool.secrets),
})
