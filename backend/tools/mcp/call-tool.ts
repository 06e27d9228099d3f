import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { ApiError, describeError } from '../../platform/core/errors.ts'
import { toStorableText } from '../../platform/core/text.ts'
import { cleanInput } from '../../platform/core/validate.ts'
import { isOutage } from '../../platform/db/outage.ts'
import { recordToolCall, type ToolCallOwner } from '../../queue/calls/record-tool-call.ts'
import { omitBlankArguments } from '../json-schema/omit-blank-arguments.ts'
import { failedResult, type ToolConversation, type ToolDeps, type ToolResult } from '../kinds/tool-kind.ts'
import type { InFlightRequest } from './in-flight-requests.ts'
import type { OfferedTool } from './session-context.ts'

/** How long a tool call can take. It's short, because the contact is waiting on the phone. */
export const toolTimeoutMs = 20 * secondMs

/** Maximum characters of a result. Longer results are truncated. */
export const maxResultCharacters = 32_768

type CallDeps = ToolDeps & Pick<Deps, 'log' | 'metrics'>

export interface ToolCallRequest extends ToolConversation {
  tool: OfferedTool
  agentId: number
  args: Record<string, unknown>
  inFlightRequest: InFlightRequest
}

/**
 * Calls a tool for an agent. If that happens in a call or chat, records the tool call before the promise resolves. Never
 * rejects: if the tool fails, the result says how the agent can continue.
 */
export async function callTool(deps: CallDeps, request: ToolCallRequest): Promise<ToolResult> {
  const startedAt = performance.now()
  const owner = getOwner(request)
  const result = await (owner === undefined
    ? runTool(deps, request, false)
    : runAndRecord(deps, request, owner))
  const labels = { kind: request.tool.row.kind, result: result.isError ? 'error' : 'ok' }
  deps.metrics.toolCallSeconds.observe(labels, (performance.now() - startedAt) / secondMs)
  return result
}

/** Returns what the tool call belongs to, or undefined outside of conversations. */
function getOwner({ call, chat }: ToolConversation): ToolCallOwner | undefined {
  if (call !== undefined) return { callId: call.callId, attemptId: call.attemptId }
  return chat && { conversationId: chat.conversationId }
}

async function runAndRecord(
  deps: CallDeps,
  request: ToolCallRequest,
  owner: ToolCallOwner,
): Promise<ToolResult> {
  const { tool, args, call, chat, inFlightRequest } = request
  const toolName = tool.definition.name
  const isSimulated = chat !== undefined || call?.test === true
  const dryRun = isSimulated && !tool.definition.annotations.readOnlyHint
  const result = await runTool(deps, request, dryRun)
  const durationMs = deps.clock.now().getTime() - inFlightRequest.startedAt
  await recordToolCall(deps, tool.row.workspaceId, {
    ...{ of: owner, result, dryRun, durationMs, toolName, args },
    startedAt: new Date(inFlightRequest.startedAt),
  })
  return result
}

async function runTool(deps: CallDeps, request: ToolCallRequest, dryRun: boolean): Promise<ToolResult> {
  const { tool, inFlightRequest } = request
  const { name } = tool.definition
  try {
    const args = omitBlankArguments(tool.definition.inputSchema, request.args)
    const issues = await findIssues(tool, args)
    if (issues.length > 0)
      return truncateResult(failedResult('invalid_arguments', { tool: name, issues: issues.join('; ') }))
    if (tool.config === undefined) return failedResult('not_set_up', { tool: name })
    const run = tool.kind.run(deps, {
      row: tool.row,
      toolName: name,
      agentId: request.agentId,
      config: tool.config.value,
      args,
      call: request.call,
      chat: request.chat,
      dryRun,
      get signal() {
        return inFlightRequest.signal
      },
    })
    const outcome = await inFlightRequest.waitFor(run)
    return typeof outcome === 'string'
      ? failedResult(outcome, { tool: name, seconds: toolTimeoutMs / secondMs })
      : truncateResult(outcome)
  } catch (error) {
    return toFailedResult(deps, name, error)
  }
}

/** Returns the schema violations in the arguments. If there are none, returns the values that can't be stored. */
async function findIssues(tool: OfferedTool, args: Record<string, unknown>): Promise<string[]> {
  // Runs before `cleanInput`, because this check reads only a limited part of the arguments, however large they are.
  const issues = await tool.findIssues(args)
  // Issues quote argument names, which can contain characters that can't be stored.
  if (issues.length > 0) return issues.map(toStorableText)
  return cleanInput(args)
    .details.slice(0, 10)
    .map(({ message }) => message.replace(/\.$/, ''))
}

function toFailedResult(deps: Pick<Deps, 'log'>, name: string, error: unknown): ToolResult {
  if (error instanceof ApiError) {
    const details = error.details.map(({ message }) => message).filter((message) => message !== error.message)
    return truncateResult({ text: [error.message, ...details].join(' '), isError: true })
  }
  const reference = randomUUID().slice(0, 8)
  deps.log.error({ tool: name, reference, error: describeError(error) }, 'failed to run a tool')
  return isOutage(error)
    ? failedResult('unavailable', { tool: name })
    : failedResult('failed', { tool: name, reference })
}

function truncateResult(result: ToolResult): ToolResult {
  const { text } = result
  if (text.length <= maxResultCharacters) return result
  const truncated = text.slice(0, maxResultCharacters).toWellFormed()
  return {
    ...result,
    text: `${truncated}\n[${text.length - maxResultCharacters} more characters omitted.]`,
  }
}
