import type { Logger } from 'pino'
import type { LlmSettings } from '../../../config.ts'
import type { Clock } from '../../../platform/core/clock.ts'
import { openModelKey } from '../../../platform/secrets/model-keys.ts'
import { type AnalysisOutcome, type AnalysisRequest, analyze } from './analyze.ts'
import { checkModel, type ModelCheck } from './check-model.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { createModelHealth, type ModelHealth } from './health.ts'
import { createModelFetch, type ModelFetch } from './model-fetch.ts'
import { loadModelPackages } from './packages.ts'
import { streamTurn, type TurnPart, type TurnRequest } from './stream-turn.ts'

/** Sends requests to the language models of the settings. */
export interface ModelClient {
  /** The models that agents can use. The first is the default. */
  models: LlmSettings['models']
  /** Yields what the model says and does. The last part is `finish` or `failure`. Never throws. */
  streamTurn(request: TurnRequest): AsyncGenerator<TurnPart, void>
  /** Never rejects. */
  analyze(request: AnalysisRequest): Promise<AnalysisOutcome>
  /** Asks a model for a word. Takes at most 5 seconds. Never rejects. */
  check(model: string | undefined): Promise<ModelCheck>
  /** Closes all connections, and ends the requests in progress. */
  close(): Promise<void>
}

interface ModelClientDeps {
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  clock: Clock
  health?: ModelHealth
  modelFetch?: ModelFetch
}

/**
 * Opens the client: loads the packages, and reads the keys.
 *
 * @throws {ConfigError} if a file with a key can't be read
 */
export async function openModelClient(
  { log, clock, health = createModelHealth(clock), modelFetch = createModelFetch() }: ModelClientDeps,
  settings: LlmSettings,
): Promise<ModelClient> {
  const { fallback, models } = settings
  const key = await openModelKey(settings, log)
  const fallbackKey = await openModelKey(fallback ?? { apiKey: undefined, apiKeyFile: undefined }, log)
  const packages = await loadModelPackages(log)
  const { fetch } = modelFetch
  const watches = [key, fallbackKey].map((source) => source.watch(() => {}))
  const deps = { packages, clock, log, health }

  const getApiKey = () => key.list()[0] ?? ''
  const first = models.map((model) =>
    createEndpoint(packages, { name: 'llm', url: settings.url, model, getApiKey, fetch }),
  )
  const getFallbackKey = () => fallbackKey.list()[0] ?? ''
  const second =
    fallback && createEndpoint(packages, { ...fallback, name: 'fallback', getApiKey: getFallbackKey, fetch })
  /** Returns the models to ask, in this order. */
  const chooseEndpoints = async (name: string | undefined): Promise<Endpoint[]> => {
    const chosen = first.find(({ model }) => model === name) ?? first[0]
    if (chosen === undefined) throw new Error('invariant: the settings have a model')
    if (second === undefined) return [chosen]
    return (await health.isPaused(chosen.key)) ? [second] : [chosen, second]
  }
  return {
    models,
    async *streamTurn(request) {
      yield* streamTurn(deps, await chooseEndpoints(request.model), request)
    },
    analyze: async (request) => analyze(deps, await chooseEndpoints(request.model), request),
    check: async (name) => checkModel(deps, await chooseEndpoints(name)),
    close: async () => {
      for (const watch of watches) watch.stop()
      await modelFetch.close()
    },
  }
}
