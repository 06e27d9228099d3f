import type * as CompatiblePackage from '@ai-sdk/openai-compatible'
import type * as AiPackage from 'ai'
import type { Logger } from 'pino'

/** The functions of the npm packages that send requests to language models. */
export type ModelPackages = Pick<
  typeof AiPackage,
  | 'streamText'
  | 'generateText'
  | 'jsonSchema'
  | 'tool'
  | 'Output'
  | 'wrapLanguageModel'
  | 'extractReasoningMiddleware'
> &
  Pick<typeof CompatiblePackage, 'createOpenAICompatible'>

/**
 * Loads the packages. They need about 30 MB of memory, so call this only if `LLM_URL` is set, and elsewhere import only their
 * types.
 */
export async function loadModelPackages(log: Pick<Logger, 'warn'>): Promise<ModelPackages> {
  const [ai, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  // Replaces the packages' own function, which writes warnings to stderr and quotes the request. All clients of a process share it.
  globalThis.AI_SDK_LOG_WARNINGS = ({ warnings }) => {
    for (const warning of warnings) log.warn({ warning: warning.type }, 'a model package reported a warning')
  }
  const { streamText, generateText, jsonSchema, tool, Output, wrapLanguageModel } = ai
  const { extractReasoningMiddleware } = ai
  return {
    ...{ streamText, generateText, jsonSchema, tool, Output },
    ...{ wrapLanguageModel, extractReasoningMiddleware, createOpenAICompatible },
  }
}
