import type { ListToolsResult } from '@modelcontextprotocol/client'
import { secondMs } from '../../platform/core/durations.ts'
import { releaseRequestSlot } from '../../platform/core/request-slot.ts'
import { cutText } from '../../platform/core/text.ts'
import { isStorableText } from '../../platform/core/validate-rules.ts'
import type { RemoteAddress, RemoteSession } from './connect-remote.ts'
import { openRemoteSession } from './remote-client.ts'
import { prefixedToolName, type RemoteTool } from './tool-settings.ts'
import { findSchemaIssues } from './validate-custom-tool.ts'

/** A tool that a remote server lists. */
export interface ListedRemoteTool extends RemoteTool {
  /** The reasons why the tool can't be used; empty if it can. */
  issues: string[]
}

const listLimits = { tools: 100, pages: 20, description: 4000, name: 128 }

/**
 * Lists a server's tools, in a separate session.
 *
 * @throws errors that `describeRemoteFailure` describes
 */
export async function listRemoteTools(
  workspaceId: number,
  address: RemoteAddress,
  serverName: string,
): Promise<ListedRemoteTool[]> {
  const tools = await loadTools(address)
  const options = { allowUnknownFormats: true }
  const schemas = tools.map(({ inputSchema }) => inputSchema)
  const schemaIssues = await findSchemaIssues(workspaceId, schemas, options)
  return tools.map((tool, index) => toListedTool(serverName, tool, schemaIssues[index] ?? []))
}

async function loadTools(address: RemoteAddress): Promise<ListToolsResult['tools']> {
  releaseRequestSlot()
  const signal = AbortSignal.timeout(15 * secondMs)
  const session = await openRemoteSession(address, signal)
  try {
    const tools = await listAllPages(session, signal)
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    return [...byName.values()].slice(0, listLimits.tools)
  } finally {
    await session.close()
  }
}

async function listAllPages(session: RemoteSession, signal: AbortSignal): Promise<ListToolsResult['tools']> {
  const tools: ListToolsResult['tools'] = []
  let cursor: string | undefined
  for (let page = 0; page < listLimits.pages; page += 1) {
    const response = await session.listTools(cursor, signal)
    tools.push(...response.tools)
    cursor = response.nextCursor
    if (cursor === undefined || tools.length >= listLimits.tools) break
  }
  return tools
}

function toListedTool(
  serverName: string,
  tool: ListToolsResult['tools'][number],
  schemaIssues: readonly string[],
): ListedRemoteTool {
  const description = cutText(tool.description ?? tool.title ?? tool.name, listLimits.description)
  return {
    name: tool.name,
    description,
    inputSchema: tool.inputSchema,
    readOnly: tool.annotations?.readOnlyHint === true,
    issues: [
      ...checkToolName(prefixedToolName(serverName, tool.name)),
      ...schemaIssues,
      ...(tool.execution?.taskSupport === 'required'
        ? ["The tool runs only as an MCP task, which Outdial doesn't support. Leave out this tool."]
        : []),
      ...(isStorableText(description)
        ? []
        : ["The description isn't plain text. Ask the server's administrator to correct it."]),
    ],
  }
}

/** Checks a name against the specification (MCP 2025-11-25, "Tool Names"). */
const checkToolName = (name: string): string[] =>
  name.length <= listLimits.name && /^[\w./-]+$/.test(name)
    ? []
    : [
        `The name, including the server's name, can have at most ${listLimits.name} characters. It can contain only letters, digits, _, -, ., and /. Shorten the server's name, or leave out this tool.`,
      ]
