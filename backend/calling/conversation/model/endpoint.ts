import type { LanguageModel } from 'ai'
import type { ModelPackages } from './packages.ts'

/** A model on a server. */
export interface Endpoint {
  /** Identifies the model by its URL and name. */
  key: string
  /** The server's host, for the log. */
  host: string
  model: string
  /** True once the server has shown that it rejects `stream_options`. */
  rejectsUsageOption: boolean
  /** True once the server has shown that it rejects `json_schema`. */
  rejectsSchema: boolean
  /** Returns the model as an object. If the package got only the model's name, it would send requests to Vercel's gateway. */
  getModel(options?: { includeUsage: boolean }): Exclude<LanguageModel, string>
}

interface EndpointSettings {
  url: string
  model: string
  /** The packages store data that belongs to this server under this name, so that another server never gets it. */
  name: 'llm' | 'fallback'
  /** Returns the current API key, or an empty text if the server doesn't need one. */
  getApiKey: () => string
  fetch: typeof globalThis.fetch
}

export function createEndpoint(
  packages: Pick<
    ModelPackages,
    'createOpenAICompatible' | 'wrapLanguageModel' | 'extractReasoningMiddleware'
  >,
  { url, model, name, getApiKey, fetch }: EndpointSettings,
): Endpoint {
  const { createOpenAICompatible, wrapLanguageModel, extractReasoningMiddleware } = packages
  const create = (includeUsage: boolean) =>
    wrapLanguageModel({
      model: createOpenAICompatible({
        ...{ name, baseURL: url, apiKey: getApiKey, fetch, includeUsage },
        // Without this option, the package would silently drop the schema.
        supportsStructuredOutputs: true,
      }).chatModel(model),
      // Some servers send a model's thoughts as part of its words, and the contact must not hear them.
      middleware: extractReasoningMiddleware({ tagName: 'think' }),
    })
  const [withUsage, withoutUsage] = [create(true), create(false)]
  return {
    key: `${url} ${model}`,
    host: new URL(url).host,
    model,
    rejectsUsageOption: false,
    rejectsSchema: false,
    getModel: ({ includeUsage } = { includeUsage: true }) => (includeUsage ? withUsage : withoutUsage),
  }
}
