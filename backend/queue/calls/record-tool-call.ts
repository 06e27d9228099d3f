import type { Deps } from '../../deps.ts'
import { describeError } from '../../platform/core/errors.ts'
import { toStorableJson, toStorableText } from '../../platform/core/text.ts'
import { insertToolCall, type ToolCallOwner } from './tool-call-store.ts'

export type { ToolCallOwner }

/** Maximum saved characters of the arguments, as JSON, and of the result. */
const maxCharacters = { arguments: 16_384, result: 16_384 }

/**
 * Records a tool call. Never throws: if it can't be saved, the error is logged and the conversation continues. If the
 * conversation no longer exists, nothing is saved.
 */
export async function recordToolCall(
  deps: Pick<Deps, 'db' | 'log'>,
  workspaceId: number,
  toolCall: {
    of: ToolCallOwner
    toolName: string
    args: Record<string, unknown>
    result: { text: string; isError: boolean }
    dryRun: boolean
    startedAt: Date
    durationMs: number
  },
): Promise<void> {
  const { of: owner, args, result, ...record } = toolCall
  try {
    await insertToolCall(deps.db, workspaceId, {
      ...record,
      of: owner,
      arguments: argumentsJson(args),
      result: toStorableText(result.text.slice(0, maxCharacters.result)),
      isError: result.isError,
    })
  } catch (error) {
    const owned = 'callId' in owner ? { attempt: owner.attemptId } : { conversation: owner.conversationId }
    deps.log.error(
      { ...owned, tool: record.toolName, error: describeError(error) },
      'failed to record a tool call',
    )
  }
}

/** Returns the arguments as JSON. Replaces long ones with an object that contains the start of their JSON as text. */
function argumentsJson(args: Record<string, unknown>): string {
  const json = tryStringify(args)
  if (json === undefined) return JSON.stringify({ left_out: 'nested too deeply' })
  if (json.length <= maxCharacters.arguments) return json
  return JSON.stringify({ left_out: json.slice(0, maxCharacters.arguments / 2).toWellFormed() })
}

function tryStringify(args: Record<string, unknown>): string | undefined {
  try {
    return toStorableJson(args)
  } catch {
    return undefined // a RangeError: nested deeper than the call stack allows
  }
}
