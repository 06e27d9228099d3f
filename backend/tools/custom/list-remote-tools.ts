import type { ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import { checkToolSchema } from '../json-schema/argument-validator.ts'
import { isStorable } from '../json-schema/check-tool-schema.ts'
import { connectRemote, type RemoteAddress, type RemoteSession } from './connect-remote.ts'
import { passedOnName, type RemoteTool } from './tool-settings.ts'

/** A tool that a remote server lists. */
export interface ListedTool extends RemoteTool {
  /** Why it cannot be passed on; empty where it can. */
  faults: string[]
}

const bounds = { tools: 500, pages: 20, description: 4000, name: 128 }

/**
 * Asks a server for its tools, in a session of its own.
 *
 * @throws what `describeRemoteFailure` describes
 */
export async function listRemoteTools(address: RemoteAddress, server: string): Promise<ListedTool[]> {
  const signal = AbortSignal.timeout(15_000)
  const session = await connectRemote(address, signal)
  try {
    const tools = await listAll(session, signal)
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    return [...byName.values()].slice(0, bounds.tools).map((tool) => listed(server, tool))
  } finally {
    await session.close()
  }
}

async function listAll(session: RemoteSession, signal: AbortSignal): Promise<ListToolsResult['tools']> {
  const tools: ListToolsResult['tools'] = []
  let cursor: string | undefined
  for (let page = 0; page < bounds.pages; page += 1) {
    const answer = await session.listTools(cursor, signal)
    tools.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined || tools.length >= bounds.tools) break
  }
  return tools
}

function listed(server: string, tool: ListToolsResult['tools'][number]): ListedTool {
  const description = (tool.description ?? tool.title ?? tool.name).slice(0, bounds.description)
  return {
    name: tool.name,
    description,
    inputSchema: tool.inputSchema,
    readOnly: tool.annotations?.readOnlyHint === true,
    faults: [
      ...checkName(passedOnName(server, tool.name)),
      ...checkToolSchema(tool.inputSchema, { anyFormat: true }),
      ...(isStorable(JSON.stringify(description)) ? [] : ['The description is not plain text.']),
    ],
  }
}

/** What the specification asks of names (2025-11-25, "Tool Names"). */
const checkName = (name: string): string[] =>
  name.length <= bounds.name && /^[\w./-]+$/.test(name)
    ? []
    : [`The name must have at most ${bounds.name} letters, digits, _, -, . or /, the server's name included.`]
