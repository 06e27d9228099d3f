import type { ProviderMetadata, TextStreamPart, ToolSet } from 'ai'
import { errorName, type ModelFailure, type ModelFailureKind, toModelFailure } from './failure.ts'

/** A tool that the model wants to use. */
export interface RequestedTool {
  toolCallId: string
  name: string
  args: unknown
  problem: 'unknown_tool' | 'broken_arguments' | undefined
  /** Data that the server wants back with the tool call. */
  providerMetadata: ProviderMetadata | undefined
}

/** The model's answer to one request, as far as it has arrived. */
export interface Answer {
  text: string
  /** The model's thoughts. Some servers want them back while tools are used. */
  reasoning: string
  calls: RequestedTool[]
  /** The number of characters so far, including thoughts and arguments, for limits and estimates. */
  characters: number
  tokens: { inputTokens: number | undefined; outputTokens: number | undefined } | undefined
  /** True if a length limit or a content filter cut the answer off. */
  isTruncated: boolean
  /** True if the server's content filter ended the answer. */
  isFiltered: boolean
  failure: ModelFailure | undefined
  /** The name of the error that the packages reported, for the log. */
  error: string | undefined
}

export const createAnswer = (): Answer => ({
  ...{ text: '', reasoning: '', calls: [], characters: 0, tokens: undefined },
  ...{ isTruncated: false, isFiltered: false, failure: undefined, error: undefined },
})

/**
 * Adds a part of the stream, except its text, which the caller adds. Returns true for a part that shows that the answer has
 * begun: words, or a tool call.
 */
export function addPart(answer: Answer, part: TextStreamPart<ToolSet>): boolean {
  if (part.type === 'text-delta') {
    answer.characters += part.text.length
    return part.text.trim() !== ''
  }
  if (part.type === 'reasoning-delta') {
    answer.reasoning += part.text
    answer.characters += part.text.length
    // Thoughts continue an answer, but they don't begin it, because the contact doesn't hear them.
    return false
  }
  if (part.type === 'tool-input-delta') answer.characters += part.delta.length
  if (part.type === 'tool-call') {
    const { toolCallId, toolName: name, providerMetadata } = part
    const args: unknown = part.input
    const problem = part.invalid === true ? findProblem(part.error) : undefined
    answer.calls.push({ toolCallId, name, args, problem, providerMetadata })
  }
  if (part.type === 'finish-step') {
    answer.tokens = part.usage
    answer.isTruncated = part.finishReason === 'length'
    answer.isFiltered = part.finishReason === 'content-filter'
  }
  return part.type === 'tool-input-start' || part.type === 'tool-input-delta'
}

/** Adds a failure, unless the answer has one. `reason` says why the request was aborted, because the error doesn't. */
export function addFailure(answer: Answer, error: unknown, reason: ModelFailureKind | undefined): void {
  if (answer.failure !== undefined) return
  answer.failure = reason === undefined ? toModelFailure(error) : { kind: reason }
  answer.error = errorName(error)
}

const findProblem = (error: unknown): RequestedTool['problem'] =>
  errorName(error) === 'AI_NoSuchToolError' ? 'unknown_tool' : 'broken_arguments'
