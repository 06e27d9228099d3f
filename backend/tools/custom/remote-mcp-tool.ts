import type { CallToolResult } from '@modelcontextprotocol/client'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { findTargetUrlIssue } from '../../platform/outbound/target-url.ts'
import {
  type CustomToolKind,
  dryRunResult,
  failedResult,
  type ToolResult,
  type ToolRow,
  type ToolUse,
  truncateText,
} from '../kinds/tool-kind.ts'
import { openRemoteSession, toRemoteAddress } from './remote-client.ts'
import { describeRemoteFailure, hadNoEffect, isErrorResponse, isSessionGone } from './remote-failure.ts'
import { createRemoteSessionPool, type RemoteSessionPool } from './remote-session-pool.ts'
import { openSecrets, redactSecrets, type ToolSecrets } from './tool-secrets.ts'
import { prefixedToolName, RemoteSettings, type RemoteTool, toToolDefinition } from './tool-settings.ts'

/** Offers the chosen tools of a remote MCP server as `<server>__<tool>`. */
export const remoteMcp = createRemoteMcp({
  connectMs: 8 * secondMs,
  timeoutMs: 15 * secondMs,
  idleMs: minuteMs,
})

/**
 * @param options.connectMs limit for opening a session
 * @param options.timeoutMs limit for one use, including opening a session; less than the limit of a tool call
 * @param options.idleMs how long an unused session stays open
 */
export function createRemoteMcp(options: {
  connectMs: number
  timeoutMs: number
  idleMs: number
}): CustomToolKind & Required<Pick<CustomToolKind, 'close'>> {
  let sessionPool: RemoteSessionPool | undefined

  /** @param timeoutSignal aborts when the use is canceled or times out */
  const callRemoteTool = async (
    deps: Pick<Deps, 'config' | 'clock'>,
    toolUse: ToolUse,
    settings: RemoteSettings,
    name: string,
    secrets: ToolSecrets,
    timeoutSignal: AbortSignal,
  ) => {
    const { row } = toolUse
    const address = toRemoteAddress(deps.config, settings, secrets)
    const pool = (sessionPool ??= createRemoteSessionPool({ idleMs: options.idleMs, clock: deps.clock }))
    const callOnce = () =>
      pool.use(
        `${row.workspaceId}:${row.id}:${row.version}`,
        () => openRemoteSession(address, AbortSignal.timeout(options.connectMs)),
        (session) => session.callTool(name, toolUse.args, timeoutSignal),
        { callerSignal: toolUse.signal, timeoutSignal },
      )
    return callOnce().catch((error: unknown) => {
      if (isSessionGone(error)) return callOnce()
      throw error
    })
  }

  return {
    kind: 'remote_mcp',
    settings: RemoteSettings,
    config: z.strictObject({}),
    hasEffects: (row) => {
      const changing = RemoteSettings.parse(row.settings).tools.filter(({ readOnly }) => !readOnly)
      return new Set(changing.map(({ name }) => prefixedToolName(row.name, name)))
    },
    builtIn: undefined,
    definitions: (row) =>
      RemoteSettings.parse(row.settings).tools.map((tool) => toToolDefinition(row.name, tool)),
    run: async (deps, toolUse) => {
      if (toolUse.dryRun) {
        const { toolName, args } = toolUse
        return dryRunResult(toolUse, `${toolName} would have been used with ${JSON.stringify(args)}`)
      }
      const settings = RemoteSettings.parse(toolUse.row.settings)
      const urlError = findTargetUrlIssue(deps.config, settings.url)
      if (urlError !== undefined) return failedResult('request_not_sent', { reason: urlError })
      const tool = requireRemoteTool(toolUse.row, settings, toolUse.toolName)
      const secrets = openSecrets(deps.secretBox, toolUse.row)
      const timeoutSignal = AbortSignal.any([toolUse.signal, AbortSignal.timeout(options.timeoutMs)])
      try {
        const result = await callRemoteTool(deps, toolUse, settings, tool.name, secrets, timeoutSignal)
        return toToolResult(toolUse.toolName, result, secrets)
      } catch (error) {
        toolUse.signal.throwIfAborted()
        return toFailedResult(toolUse.row, tool, error, secrets)
      }
    },
    close: async () => {
      await sessionPool?.close()
      sessionPool = undefined
    },
  }
}

function requireRemoteTool(row: ToolRow, settings: RemoteSettings, toolName: string): RemoteTool {
  const tool = settings.tools.find(({ name }) => prefixedToolName(row.name, name) === toolName)
  if (tool === undefined) throw new Error(`invariant: tool ${row.id} has no ${toolName}`)
  return tool
}

function toFailedResult(row: ToolRow, tool: RemoteTool, error: unknown, secrets: ToolSecrets): ToolResult {
  const reason = truncateText(redactSecrets(describeRemoteFailure(error), secrets), 1024)
  return failedResult(failureKey(error, tool), { server: row.name, reason })
}

function failureKey(error: unknown, { readOnly }: RemoteTool) {
  if (isErrorResponse(error)) return 'server_error_response'
  return readOnly || hadNoEffect(error) ? 'server_rejection' : 'server_failure'
}

/** Converts a remote tool's result for the agent: its text, and a placeholder for anything else. */
function toToolResult(tool: string, result: CallToolResult, secrets: ToolSecrets): ToolResult {
  const parts = result.content.map(formatContent).filter(Boolean)
  if (parts.length === 0 && result.structuredContent !== undefined) {
    parts.push(JSON.stringify(result.structuredContent))
  }
  const isError = result.isError === true
  if (isError && parts.length === 0) return failedResult('no_reason', { tool })
  return { text: truncateText(redactSecrets(parts.join('\n') || 'Done.', secrets)), isError }
}

function formatContent(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return `[${part.type} (${part.mimeType}), can't be shown]`
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[file ${part.resource.uri}, can't be shown]`
    case 'resource_link':
      return `[link: ${part.name}, ${part.uri}]`
  }
}
