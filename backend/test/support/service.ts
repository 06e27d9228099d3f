import { afterAll, beforeAll } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { findFreePort } from '../../platform/db/embedded/server-address.ts'
import type { Db } from '../../platform/db/schema.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { useTestDatabase } from './world.ts'

export interface Service {
  app: FastifyInstance
  deps: TestDeps
  url: string
  close(): Promise<void>
}

/** Starts the service on a free port, so that tests use real HTTP. With `original`, reuses that service's port and clock. */
export async function startService(
  db: Db,
  original?: Service,
  settings: NodeJS.ProcessEnv = {},
): Promise<Service> {
  const port = original ? Number(new URL(original.url).port) : await findFreePort('127.0.0.1')
  const secretKey = 'test-key-of-at-least-thirty-two-characters'
  const config = parseConfig({ PORT: String(port), SECRET_KEY: secretKey, ...settings })
  const deps = testDeps(db, { config, ...(original && { clock: original.deps.clock }) })
  const app = await createApp(deps)
  await app.listen({ host: '127.0.0.1', port })
  return { app, deps, url: config.publicUrl, close: () => app.close() }
}

/** Settings of a service whose calls are real. Nothing listens at the agent runtime's URL. */
export const realCalls = {
  TELEPHONY: 'http',
  RUNTIME_URL: 'http://127.0.0.1:9',
  RUNTIME_SIGNING_KEY: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
}

/** Starts a service whose calls are real, so that the rules apply. */
export const startRealService = (db: Db): Promise<Service> => startService(db, undefined, realCalls)

/** Gives a test file a service with a separate database. Both are created before the first test. */
export function useServiceWorld(start: (db: Db) => Promise<Service> = startService) {
  let service: Service
  // This hook must run before the database's hook. Jest runs these hooks in registration order.
  afterAll(() => service.close())
  const database = useTestDatabase()
  beforeAll(async () => {
    service = await start(database.db)
  })
  return {
    database,
    get service() {
      return service
    },
    /** Closes the service, and starts another one at the same address and with the same database. */
    restart: async () => {
      await service.close()
      service = await startService(database.db, service)
    },
  }
}
