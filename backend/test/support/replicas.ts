import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { describe } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { systemClock } from '../../platform/core/clock.ts'
import { createNotifier, type Notifier } from '../../platform/core/notify.ts'
import type { Db } from '../../platform/db/schema.ts'
import { connectReplicas } from '../../platform/replicas/connect-replicas.ts'
import { startReplicaCheck } from '../../platform/replicas/replica-check.ts'
import { findLastSeen } from '../../platform/replicas/replica-store.ts'
import { createToolServer } from '../../tools/mcp/tool-server.ts'
import { ManualClock } from './clock.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { createToolKinds, secret, type ToolBehaviors } from './mcp.ts'
import { waitFor } from './wait.ts'

/** The URL of the Redis that this test run uses (`test/support/find-redis.mjs`); empty on a machine without one. */
export const redisUrl = process.env.OUTDIAL_TEST_REDIS ?? ''

/** Groups tests that need Redis. On a machine without it, they're skipped and their names say so; in CI, they fail. */
export const describeWithRedis = (name: string, tests: () => void): void =>
  redisUrl === '' && process.env.CI !== 'true'
    ? describe.skip(`${name} (SKIPPED: no Redis at 127.0.0.1:6379)`, tests)
    : describe(name, tests)

/** A process of an installation. */
export interface Replica {
  app: FastifyInstance
  deps: TestDeps
  notifier: Notifier
  url: string
  /** Returns the log so far. */
  logOutput(): string
  stop(): Promise<void>
}

/** The resources that all processes of an installation share. */
export interface Installation {
  db: Db
  clock: ManualClock
  attemptTokenKey: Buffer
}

/** Creates an installation. Its names in Redis don't conflict with those of other tests. */
export const createInstallation = (db: Db): Installation => ({
  db,
  clock: new ManualClock(),
  attemptTokenKey: randomBytes(32),
})

/** Starts a process of an installation on a free port, assembled as in `start.ts`. */
export async function startReplica(
  { db, clock, attemptTokenKey }: Installation,
  options: {
    redisUrl: string
    behaviors?: ToolBehaviors
    environment?: Record<string, string>
    /** How long a request waits for Redis. */
    quickMs?: number
  },
): Promise<Replica> {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const config = parseConfig({
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET: secret,
    ...options.environment,
  })
  const local = testDeps(db, { config, clock, log, attemptTokenKey })
  const replicas = await connectReplicas(local, options.redisUrl, options)
  const notifier = createNotifier()
  const deps = { ...local, replicas, notify: replicas.share(notifier.notify) }
  const kinds = options.behaviors && createToolKinds(options.behaviors)
  const tools = createToolServer(deps, { ...(kinds && { kinds }) })
  notifier.connect(tools)
  // Uses real time, because the check compares it with the database's clock.
  const replicaCheck = startReplicaCheck({ ...deps, clock: systemClock })
  // Waits until the process is recorded: before that, other processes would treat it as killed.
  await waitFor(async () => (await findLastSeen(db, replicas.nodeId)) !== undefined)
  const app = await createApp(deps, tools)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...{ app, deps, notifier },
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    logOutput: () => lines.join(''),
    stop: async () => {
      await tools.close(0)
      app.server.closeAllConnections() // fetch opens connections in advance, and Node would wait for them
      await app.close()
      await replicaCheck.stop()
      await replicas.close()
    },
  }
}
