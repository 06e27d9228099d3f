import type { ToolModelMessage, ToolResultPart as MessagePart } from 'ai'
import { cutText } from '../../../platform/core/text.ts'
import type { RequestedTool } from './answer.ts'
import type { ConversationTool } from './tools.ts'

export interface ToolCallPart {
  type: 'tool_call'
  toolCallId: string
  name: string
  args: unknown
}

export interface ToolResultPart {
  type: 'tool_result'
  toolCallId: string
  name: string
  result: string
  isError: boolean
}

interface Result {
  text: string
  isError: boolean
}

/**
 * How the tools of one answer ended. `message` has a result for each tool call, because servers reject a conversation in which
 * one is missing.
 */
export interface ToolRun {
  message: ToolModelMessage
  isAborted: boolean
}

/** Maximum characters of a result that the model gets. The rest is cut off. */
export const maxResultLength = 4_000

/**
 * Starts all tools of one answer, and yields their results. If the signal aborts, stops waiting for them. The tools continue,
 * so that their results can still be saved.
 */
export async function* runTools(
  tools: readonly ConversationTool[],
  calls: readonly RequestedTool[],
  signal: AbortSignal,
): AsyncGenerator<ToolCallPart | ToolResultPart, ToolRun> {
  const aborted = whenAborted(signal)
  const content: MessagePart[] = []
  try {
    for (const { toolCallId, name, args } of calls) yield { type: 'tool_call', toolCallId, name, args }
    const running = calls.map((call) => ({ call, result: runTool(tools, call) }))
    for (const { call, result } of running) {
      const { toolCallId, name } = call
      const settled = await Promise.race([result, aborted.promise])
      const { text, isError } = settled ?? { text: stillRunning, isError: false }
      if (settled !== undefined) yield { type: 'tool_result', toolCallId, name, result: text, isError }
      const value = cutText(text, maxResultLength)
      const output = { type: isError ? ('error-text' as const) : ('text' as const), value }
      content.push({ type: 'tool-result', toolCallId, toolName: name, output })
    }
  } finally {
    aborted.stop()
  }
  return { message: { role: 'tool', content }, isAborted: signal.aborted }
}

/** The text that the model gets instead of the result of a tool that's still running. */
export const stillRunning = 'This tool is still running. Its result follows later.'

async function runTool(
  tools: readonly ConversationTool[],
  { name, args, toolCallId, problem }: RequestedTool,
): Promise<Result> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined || problem === 'unknown_tool') {
    const names = tools.map((one) => one.name).join(', ')
    return { text: `There's no tool with this name. The tools are: ${names}.`, isError: true }
  }
  if (problem !== undefined) return { text: 'The arguments must be one JSON object.', isError: true }
  try {
    return { text: await tool.execute(args as Record<string, unknown>, { toolCallId }), isError: false }
  } catch {
    // The tool has already reported the error. The model doesn't get it, because it may quote secrets.
    return { text: 'The tool failed.', isError: true }
  }
}

function whenAborted(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) }
}
