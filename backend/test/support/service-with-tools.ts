import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { findFreePort } from '../../platform/db/embedded/server-address.ts'
import { createToolServer } from '../../tools/mcp/tool-server.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { secret } from './mcp.ts'
import { useServiceWorld } from './service.ts'

/** Gives a test file a service in one process with its tool server, which is notified of changes in the dashboard. */
export const useToolServiceWorld = (overrides: Pick<Partial<TestDeps>, 'log'> = {}) =>
  useServiceWorld(async (db) => {
    const port = await findFreePort('127.0.0.1')
    const config = parseConfig({
      PORT: String(port),
      SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
      RUNTIME_SECRET: secret,
    })
    const deps = testDeps(db, { config, ...overrides })
    const tools = createToolServer(deps)
    const { toolsChanged, toolAccessEnded } = tools
    deps.notify = { ...deps.notify, toolsChanged, toolAccessEnded }
    const app = await createApp(deps, tools)
    await app.listen({ host: '127.0.0.1', port })
    const close = async () => {
      app.server.closeAllConnections() // fetch opens connections in advance, and Node would wait for them
      await app.close()
    }
    return { app, deps, url: config.publicUrl, close }
  })
