import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { findRuleIssues } from '../../platform/core/validate-rules.ts'
import { findTargetUrlIssue } from '../../platform/outbound/target-url.ts'
import { truncateText } from '../kinds/tool-kind.ts'
import { type ListedRemoteTool, listRemoteTools } from './list-remote-tools.ts'
import { toRemoteAddress } from './remote-client.ts'
import { describeRemoteFailure } from './remote-failure.ts'
import { redactSecrets, type ToolSecrets } from './tool-secrets.ts'
import type { RemoteSettings, RemoteTool } from './tool-settings.ts'
import { parseTemplate } from './url-template.ts'
import { customToolFields, reportEach, requireNoIssues } from './validate-custom-tool.ts'

/** A remote server as it's saved. */
export interface RemoteServer extends Omit<RemoteSettings, 'tools'> {
  name: string
  description: string
  secrets: ToolSecrets
}

/**
 * Checks what was entered, then asks the server for its tools.
 *
 * @throws {ApiError} validation_failed
 */
export async function listServerTools(
  deps: Pick<Deps, 'config'>,
  workspaceId: number,
  server: RemoteServer,
): Promise<ListedRemoteTool[]> {
  requireNoIssues(checkRemoteServer(deps.config, server))
  try {
    return await listRemoteTools(
      workspaceId,
      toRemoteAddress(deps.config, server, server.secrets),
      server.name,
    )
  } catch (error) {
    if (error instanceof FormError) throw error
    const failure = truncateText(redactSecrets(describeRemoteFailure(error), server.secrets), 1024)
    throw invalidField(
      'url',
      'unreachable',
      `Couldn't list the tools of this server: ${failure}. Check the URL and the headers, then try again.`,
    )
  }
}

/** Finds the issues of the URL only, for a form whose other fields can't be read. */
export const findServerUrlIssues = (config: Deps['config'], url: string): ErrorDetail[] =>
  findUrlIssues(config, url).map((issue) => ({ field: 'url', ...issue }))

function checkRemoteServer(config: Deps['config'], server: RemoteServer): ErrorDetail[] {
  const { name, description, headers, secrets } = customToolFields(server)
  const url = z.string().superRefine(reportEach((value) => findUrlIssues(config, value)))
  return findRuleIssues(z.object({ name, description, url, headers, secrets }), server)
}

function findUrlIssues(config: Deps['config'], url: string): { code: string; message: string }[] {
  const targetIssue = findTargetUrlIssue(config, url)
  if (targetIssue !== undefined) return [{ code: 'invalid_url', message: targetIssue }]
  const isReadable = parseTemplate(url) !== undefined && !/(?<!\{)\{(?!\{)/.test(url)
  if (isReadable) return []
  return [
    { code: 'invalid_url', message: 'The URL is invalid. Correct it, and use secrets only as query values.' },
  ]
}

/** The limits for the chosen tools of one server. */
const maxTools = 100
const maxSchemaCharacters = 512 * 1024

/**
 * Selects the chosen tools from those that a server lists.
 *
 * @param chosen names, or undefined for all tools that can be used
 * @throws {ApiError} validation_failed, with a detail for each tool that can't be used
 */
export function chooseTools(
  listed: readonly ListedRemoteTool[],
  chosen: readonly string[] | undefined,
): RemoteTool[] {
  const names = chosen ?? listed.filter(({ issues }) => issues.length === 0).map(({ name }) => name)
  if (names.length > maxTools) {
    throw invalidField('tools', 'too_big', `Select at most ${maxTools} tools from this server.`)
  }
  const selectionIssues = names.flatMap((name) => {
    const displayName = name.slice(0, 100)
    const tool = listed.find((other) => other.name === name)
    if (tool === undefined)
      return [
        {
          field: 'tools',
          code: 'not_found',
          message: `The server has no tool named ${displayName}. Select another tool.`,
        },
      ]
    return tool.issues.map((reason) => ({
      field: 'tools',
      code: 'invalid_tool',
      message: `${displayName} can't be used. ${reason}`,
    }))
  })
  requireNoIssues(selectionIssues)
  const tools = listed
    .filter(({ name }) => names.includes(name))
    .map(({ name, description, inputSchema, readOnly }) => ({ name, description, inputSchema, readOnly }))
  if (JSON.stringify(tools).length > maxSchemaCharacters) {
    throw invalidField(
      'tools',
      'too_big',
      'Select fewer tools from this server. The schemas of the selected tools are too long in total.',
    )
  }
  return tools
}

/** Returns the values to save. */
export const toRemoteServerValues = (server: RemoteServer, tools: RemoteTool[]) => ({
  name: server.name,
  description: server.description.trim(),
  inputSchema: { type: 'object' },
  settings: { url: server.url, transport: server.transport, headers: server.headers, tools },
  secrets: server.secrets,
})
