import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { sql } from 'kysely'
import { Pool } from 'undici'
import { setCallsSpecialNumbers } from '../backend/accounts/identity/workspaces.ts'
import { parseConfig } from '../backend/config.ts'
import type { Deps } from '../backend/deps.ts'
import { createLog } from '../backend/log.ts'
import { openDeps } from '../backend/open-deps.ts'
import { connect, getConnectionOptions } from '../backend/platform/db/connect.ts'
import type { Db } from '../backend/platform/db/schema.ts'
import type { DemoFile } from '../backend/service/demo/demo-file.ts'
import { prepareDemo } from '../backend/service/demo/prepare-demo.ts'
import { createFolder, environmentWithoutSettings } from './machine-state.ts'
import type { Question } from './processes/serve.ts'

/** A database with the demo workspace. It's an embedded PostgreSQL that writes to the disk as in production. */
export interface World {
  deps: Deps
  /** Connections of the tables' owner. Their statements have no time limits. */
  owner: Db
  demo: DemoFile
  /** Environment variables for processes that use this database. */
  environment: Record<string, string>
  close: () => Promise<void>
}

/** Opens a world in a temporary folder. `close` removes the folder. */
export async function openWorld(): Promise<World> {
  const { folder: dataDir, remove } = await createFolder()
  const secrets = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    RUNTIME_SECRET: randomBytes(32).toString('base64'),
  }
  const config = parseConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...secrets })
  const { deps, close } = await openDeps({ config, log: await createLog('silent'), purpose: 'service' })
  const demo = await prepareDemo(deps, dataDir)
  if (demo === undefined) throw new Error('no demo workspace')
  // Allows calls to special numbers, because the seeds contain numbers of all kinds.
  await setCallsSpecialNumbers(deps.db, demo.workspace_id, true)
  const { url } = getConnectionOptions(deps.db)
  const owner = connect({ url, max: 2, timeouts: { statementMs: 0, idleInTransactionMs: 0, queryMs: 0 } })
  const environment = {
    ...secrets,
    DATABASE_URL: url,
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_WORKSPACE: '10000000',
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
  }
  return {
    deps,
    owner,
    demo,
    environment,
    close: async () => {
      await owner.destroy()
      await close()
      await remove()
    },
  }
}

/**
 * Updates PostgreSQL's statistics, which a new database lacks for the first minute. Call it after seeding and after warming up,
 * because plans that were cached for empty tables are slow.
 */
export const analyze = async ({ owner }: Pick<World, 'owner'>): Promise<void> => {
  await sql`vacuum analyze`.execute(owner)
}

/** Another process that the benchmark controls. */
export interface Subject {
  pid: number
  port: number
  /** Works for some seconds with `width` workers at a time. Returns the rate per second. */
  work: (seconds: number, width: number) => Promise<number>
  stop: () => Promise<void>
}

/** Starts the file of this name in `processes/`. */
export async function startProcess(name: string, environment: Record<string, string>): Promise<Subject> {
  const child: ChildProcess = fork(path.join(import.meta.dirname, `processes/${name}.ts`), [], {
    env: { ...environmentWithoutSettings(), ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const receive = async <Reply>(): Promise<Reply> => {
    const ended = exited.then(() => Promise.reject(new Error(`the process ${name} ended`)))
    const [reply] = (await Promise.race([once(child, 'message'), ended])) as [Reply]
    return reply
  }
  const { port } = await receive<{ port: number }>()
  const send = (question: Question) => child.send(question)
  return {
    pid: child.pid ?? 0,
    port,
    work: (seconds, width) => {
      send({ seconds, width })
      return receive<number>()
    },
    stop: async () => {
      if (child.exitCode === null) send('stop')
      await exited
    },
  }
}

interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface HttpClients {
  send: (request: HttpRequest, expectedStatus: number) => Promise<string>
  close: () => Promise<void>
}

/** Opens `clients` connections to a port. Each connection sends one request at a time. */
export function openClients(port: number, clients: number): HttpClients {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: clients, pipelining: 1 })
  return {
    send: async (request, expectedStatus) => {
      const { statusCode, body } = await pool.request(request)
      const text = await body.text()
      if (statusCode !== expectedStatus) throw new Error(`${statusCode} ${text}`)
      return text
    },
    close: () => pool.close(),
  }
}
