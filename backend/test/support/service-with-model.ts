import pino from 'pino'
import { type FakeModel, startFakeModel } from '../../../examples/fake-model/server.ts'
import { createApp } from '../../app.ts'
import { type ModelClient, openModelClient } from '../../calling/conversation/model/model-client.ts'
import { parseConfig } from '../../config.ts'
import { findFreePort } from '../../platform/db/embedded/server-address.ts'
import { ManualClock } from './clock.ts'
import { testDeps } from './deps.ts'
import { useServiceWorld } from './service.ts'

/** Gives a test file a service whose language model is a fake that answers from a script. */
export function useModelServiceWorld(models: readonly [string, ...string[]] = ['outdial-fake']) {
  let fake: FakeModel
  let model: ModelClient
  const world = useServiceWorld(async (db) => {
    fake = await startFakeModel()
    const port = await findFreePort('127.0.0.1')
    const config = parseConfig({
      PORT: String(port),
      SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
      LLM_URL: fake.url,
      LLM_MODELS: models.join(','),
    })
    if (config.llm === undefined) throw new Error('the settings have a model')
    const clock = new ManualClock()
    model = await openModelClient({ log: pino({ level: 'silent' }), clock }, config.llm)
    const deps = testDeps(db, { config, clock, model })
    const app = await createApp(deps)
    await app.listen({ host: '127.0.0.1', port })
    const close = async () => {
      app.server.closeAllConnections() // fetch opens connections in advance, and Node would wait for them
      await app.close()
      await model.close()
      await fake.close()
    }
    return { app, deps, url: config.publicUrl, close }
  })
  return {
    database: world.database,
    get service() {
      return world.service
    },
    get model() {
      return model
    },
    get fake() {
      return fake
    },
  }
}
