import { describeError } from '../core/errors.ts'
import { toStorableText } from '../core/text.ts'
import type { Deps } from '../deps.ts'
import type { LiveCall, ToolResult } from '../tools/kinds/tool-kind.ts'
import { insertToolCall } from './mcp-store.ts'

/** Characters that are kept of what went in, as JSON, and of what came out. */
const maxCharacters = { arguments: 16_384, result: 16_384 }

/**
 * Writes what an agent did to the record of its call. Where that fails, the talk goes on: nothing is thrown, and the
 * log says what was lost.
 */
export async function recordToolCall(
  deps: Pick<Deps, 'db' | 'log'>,
  workspaceId: number,
  toolCall: {
    call: LiveCall
    toolName: string
    args: Record<string, unknown>
    result: ToolResult
    dryRun: boolean
    startedAt: Date
    durationMs: number
  },
): Promise<void> {
  const { call, result } = toolCall
  try {
    await insertToolCall(deps.db, workspaceId, {
      callId: call.callId,
      attemptId: call.attemptId,
      toolName: toolCall.toolName,
      arguments: argumentsJson(toolCall.args),
      result: toStorableText(result.text.slice(0, maxCharacters.result)),
      isError: result.isError,
      dryRun: toolCall.dryRun,
      startedAt: toolCall.startedAt,
      durationMs: toolCall.durationMs,
    })
  } catch (error) {
    const { attemptId } = call
    deps.log.error(
      { attempt: attemptId, tool: toolCall.toolName, error: describeError(error) },
      'a tool call could not be recorded',
    )
  }
}

/** Too long ones become a text of their beginning: half a JSON object is none. */
function argumentsJson(args: Record<string, unknown>): string {
  const json = tryStringify(args)?.replace(unstorableEscapes, (escape) =>
    escape === backslash ? escape : '\uFFFD',
  )
  if (json === undefined) return JSON.stringify({ left_out: 'nested too deep' })
  if (json.length <= maxCharacters.arguments) return json
  return JSON.stringify({ left_out: json.slice(0, maxCharacters.arguments / 2).toWellFormed() })
}

/** What JSON.stringify writes for NUL and for half of a character, neither of which PostgreSQL takes. */
const unstorableEscapes = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g
const backslash = '\\\\'

function tryStringify(args: Record<string, unknown>): string | undefined {
  try {
    return JSON.stringify(args)
  } catch {
    return undefined // a RangeError: deeper than the stack
  }
}
