import type { ModelMessage, ToolSet } from 'ai'
import type { Clock } from '../../../platform/core/clock.ts'
import { minuteMs } from '../../../platform/core/durations.ts'
import { addFailure, addPart, type Answer, createAnswer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import type { ModelPackages } from './packages.ts'
import { createRequestLimit } from './request-limit.ts'
import type { ConversationTool } from './tools.ts'
import { noUsage, type TokenUsage, toUsage } from './usage.ts'

export interface StreamedRequest {
  instructions: string
  messages: readonly ModelMessage[]
  /** Tools without `execute`, so that the stream doesn't run them. Otherwise, they'd end with the stream. */
  tools: ToolSet
  /** The same tools with their schemas, for estimates. */
  offered: readonly ConversationTool[]
  mayUseTools: boolean
  maxOutputTokens: number
  signal: AbortSignal
  firstWordMs: number
  idleMs: number
  /** The words that were already said in this turn. The answer continues them. */
  saidBefore: string
}

interface StreamDeps {
  packages: Pick<ModelPackages, 'streamText'>
  clock: Pick<Clock, 'wait'>
}

/** Maximum characters per token: more than an average token has. Limits answers even if a server ignores the token limit. */
const maxCharactersPerToken = 10

/** Maximum duration of an answer, even if it never pauses for long. It includes the time to speak the answer. */
const maxAnswerMs = 2 * minuteMs

/** Sends one request, yields the words as they arrive, and returns the answer or the failure. Never throws. */
export async function* streamRequest(
  { packages, clock }: StreamDeps,
  { endpoint, includeUsage }: { endpoint: Endpoint; includeUsage: boolean },
  request: StreamedRequest,
): AsyncGenerator<{ type: 'text'; text: string }, Answer & { usage: TokenUsage }> {
  const answer = createAnswer()
  const limit = createRequestLimit(clock, request.signal)
  // The package's own limit for the first word begins when the response does, so a silent server would never reach it.
  const endFirstLimit = limit.abortAfter(request.firstWordMs, 'no_first_word')
  limit.abortAfter(maxAnswerMs, 'cut')
  const maxCharacters = request.maxOutputTokens * maxCharactersPerToken
  let idle: ReturnType<typeof limit.abortWhenIdle> | undefined
  try {
    const { stream } = packages.streamText({
      model: endpoint.getModel({ includeUsage }),
      instructions: request.instructions,
      messages: [...request.messages],
      tools: request.tools,
      toolChoice: request.mayUseTools ? 'auto' : 'none',
      maxOutputTokens: request.maxOutputTokens,
      maxRetries: 0,
      abortSignal: limit.signal,
      // The default function writes the error, which quotes the request, to stderr. The stream has the error, too.
      onError: () => {},
    })
    for await (const part of stream) {
      const charactersBefore = answer.characters
      if (addPart(answer, part)) {
        endFirstLimit()
        idle ??= limit.abortWhenIdle(request.idleMs)
      }
      if (answer.characters > charactersBefore) idle?.noteArrival()
      if (part.type === 'text-delta') {
        const words = part.text.slice(0, maxCharacters - charactersBefore).toWellFormed()
        const text = answer.text === '' ? joinTo(request.saidBefore, words) : words
        answer.text += text
        idle?.pause()
        yield { type: 'text', text }
        idle?.noteArrival()
      }
      if (part.type === 'abort') addFailure(answer, undefined, limit.findReason())
      if (part.type === 'error') {
        addFailure(answer, part.error, limit.findReason())
        // After a tool call that wasn't allowed, the stream continues with the usage.
        if (answer.error !== 'AI_ToolChoiceViolationError') break
      }
      answer.isTruncated ||= answer.characters > maxCharacters
      if (answer.isTruncated) break
    }
  } catch (error) {
    addFailure(answer, error, limit.findReason())
  } finally {
    limit.end()
  }
  return { ...answer, usage: findUsage(answer, request) }
}

/** Returns the tokens that a request used. A rejected request used none, but an aborted one did. */
function findUsage({ failure, tokens, characters }: Answer, request: StreamedRequest): TokenUsage {
  if (failure?.kind === 'rejected' || failure?.kind === 'unreachable') return noUsage
  const { instructions, messages, offered } = request
  return toUsage(tokens, [instructions, messages, offered], characters)
}

/** Adds a space before a text that continues what was said, if one is missing. */
const joinTo = (said: string, text: string): string =>
  said === '' || /\s$/.test(said) || /^[\s,.;:!?)]/.test(text) ? text : ` ${text}`
