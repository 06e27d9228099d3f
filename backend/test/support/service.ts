import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import type { Db } from '../../db/schema.ts'
import { type TestDeps, testDeps } from './deps.ts'

export interface Service {
  app: FastifyInstance
  deps: TestDeps
  url: string
  close(): Promise<void>
}

/** The service on a port of its own, by real HTTP. With `like`, a second process on the same address. */
export async function startService(db: Db, original?: Service): Promise<Service> {
  const port = original ? Number(new URL(original.url).port) : await freePort()
  const config = parseConfig({ PORT: String(port), SECRET_KEY: 'test-key-of-at-least-thirty-two-characters' })
  const deps = testDeps(db, { config, ...(original && { clock: original.deps.clock }) })
  const app = await createApp(deps)
  await app.listen({ host: '127.0.0.1', port })
  return { app, deps, url: config.publicUrl, close: () => app.close() }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
