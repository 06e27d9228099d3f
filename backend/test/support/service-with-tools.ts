import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { findFreePort } from '../../db/embedded/server-address.ts'
import type { Db } from '../../db/schema.ts'
import { createToolServer } from '../../mcp/tool-server.ts'
import { testDeps } from './deps.ts'
import type { Service } from './service.ts'

/** The service whose pages and tool server know of each other's changes, as in one process. */
export async function startServiceWithTools(db: Db): Promise<Service> {
  const port = await findFreePort('127.0.0.1')
  const config = parseConfig({
    PORT: String(port),
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET: 'runtime-secret-of-the-tests-of-pages',
    LOG_LEVEL: 'silent',
  })
  const deps = testDeps(db, { config })
  const tools = createToolServer(deps)
  deps.notify = { ...deps.notify, toolsChanged: (change) => tools.toolsChanged(change) }
  const app = await createApp(deps, tools)
  await app.listen({ host: '127.0.0.1', port })
  return { app, deps, url: config.publicUrl, close: () => app.close() }
}
