import type * as CompatiblePackage from '@ai-sdk/openai-compatible'
import type * as AiPackage from 'ai'
import type { Logger } from 'pino'

/** The functions of the packages that talk to language models. */
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
 * Loads the packages. They need about 30 MB, so this is called only where `LLM_URL` is set, and everything else imports
 * only their types.
 */
export async function loadModelPackages(log: Pick<Logger, 'warn'>): Promise<ModelPackages> {
  const [ai, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  // The packages would write warnings to stderr, with texts of the request. All clients of a process share this function.
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
