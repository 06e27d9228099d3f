import { secondMs } from '../../../platform/core/durations.ts'
import {
  type AnalyzedConversation,
  type ConversationAnalysis,
  readAnalysis,
  toAnalysisPrompt,
  toAnalysisSchema,
} from './analysis.ts'
import type { Endpoint } from './endpoint.ts'
import { errorName, isOfRequest, type ModelFailure, toModelFailure } from './failure.ts'
import type { ModelPackages } from './packages.ts'
import { createRequestLimit, type RequestLimit } from './request-limit.ts'
import { logFailure, type TurnDeps } from './stream-turn.ts'
import { addUsage, noUsage, type TokenUsage, toUsage } from './usage.ts'

export interface AnalysisRequest extends AnalyzedConversation {
  /** The name of a model in the settings. With any other name, or none, the first model of the settings is used. */
  model?: string
  signal: AbortSignal
  /** Maximum time for all requests together. */
  timeoutMs?: number
}

export type AnalysisOutcome =
  | { type: 'analysis'; analysis: ConversationAnalysis; usage: TokenUsage; model: string }
  | { type: 'failure'; failure: ModelFailure; usage: TokenUsage }

const maxOutputTokens = 4_000

interface Response {
  text: string
  usage: TokenUsage
  failure: ModelFailure | undefined
  error: string | undefined
}

/** Asks the first of `endpoints` for an analysis. If it fails, asks the next one. Never throws. */
export async function analyze(
  deps: TurnDeps,
  endpoints: readonly Endpoint[],
  request: AnalysisRequest,
): Promise<AnalysisOutcome> {
  const { signal, timeoutMs = 50 * secondMs } = request
  let usage = noUsage
  let failure: ModelFailure = { kind: 'aborted' }
  for (const endpoint of endpoints) {
    const limit = createRequestLimit(deps.clock, signal)
    // Each model gets an equal share of the time, so that a slow one leaves enough for the next.
    limit.abortAfter(timeoutMs / endpoints.length, 'too_slow')
    try {
      const answered = await requestAnalysis(deps, endpoint, request, limit)
      usage = addUsage(usage, answered.usage)
      if (answered.analysis !== undefined) {
        await deps.health.addSuccess(endpoint.key)
        return { type: 'analysis', analysis: answered.analysis, usage, model: endpoint.model }
      }
      failure = answered.failure ?? { kind: 'malformed' }
      if (failure.kind === 'aborted') break
      logFailure(deps.log, endpoint, failure, answered.error)
      if (isUnavailable(failure)) await deps.health.addFailure(endpoint.key)
    } finally {
      limit.end()
    }
  }
  return { type: 'failure', failure, usage }
}

/** Returns true for a failure that conversations would have, too. A model that fails at JSON can still hold a conversation. */
const isUnavailable = (failure: ModelFailure): boolean =>
  ['unreachable', 'cut', 'rejected'].includes(failure.kind) && !isOfRequest(failure)

/** Asks one model with a schema. If the server rejects the schema, or the answer can't be read, asks again without it. */
async function requestAnalysis(
  { packages }: TurnDeps,
  endpoint: Endpoint,
  request: AnalysisRequest,
  limit: RequestLimit,
): Promise<Response & { analysis: ConversationAnalysis | undefined }> {
  const useSchema = !endpoint.rejectsSchema
  const first = await sendOnce(packages, endpoint, request, limit, useSchema)
  const analysis = readAnalysis(first.text, request)
  const isRejected = first.failure?.status === 400
  if (analysis !== undefined || !useSchema || (first.failure !== undefined && !isRejected))
    return { ...first, analysis }

  const second = await sendOnce(packages, endpoint, request, limit, false)
  endpoint.rejectsSchema = isRejected && second.failure === undefined
  const usage = addUsage(first.usage, second.usage)
  return { ...second, usage, analysis: readAnalysis(second.text, request) }
}

/**
 * Sends one request. With `useSchema`, the server enforces the schema. Without it, only the prompt asks for the schema. Never
 * throws.
 */
async function sendOnce(
  { generateText, jsonSchema, Output }: ModelPackages,
  endpoint: Endpoint,
  request: AnalysisRequest,
  limit: RequestLimit,
  useSchema: boolean,
): Promise<Response> {
  const schema = toAnalysisSchema(request)
  const { instructions, message } = toAnalysisPrompt(request, schema)
  const toResponse = (
    text: string,
    tokens: Parameters<typeof toUsage>[0],
    failure?: ModelFailure,
    error?: string,
  ) => ({ text, usage: toUsage(tokens, [instructions, message], text.length), failure, error })
  try {
    const { text, usage } = await generateText({
      model: endpoint.getModel(),
      instructions,
      messages: [{ role: 'user', content: message }],
      output: useSchema ? Output.object({ schema: jsonSchema(schema), name: 'analysis' }) : Output.json(),
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: limit.signal,
    })
    return toResponse(text, usage)
  } catch (error) {
    // The answer isn't JSON, but it may contain JSON.
    if (isNoObjectError(error)) return toResponse(error.text ?? '', error.usage)
    const reason = limit.findReason()
    const failure = reason === undefined ? toModelFailure(error) : { kind: reason }
    const isFree = failure.kind === 'rejected' || failure.kind === 'unreachable'
    return { ...toResponse('', undefined, failure, errorName(error)), ...(isFree && { usage: noUsage }) }
  }
}

interface NoObjectError {
  text: string | undefined
  usage: Parameters<typeof toUsage>[0]
}

const isNoObjectError = (error: unknown): error is NoObjectError =>
  errorName(error) === 'AI_NoObjectGeneratedError'
