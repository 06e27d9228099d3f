import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe } from '@jest/globals'
import pg from 'pg'
import { findFixedPort } from './fixed-port.ts'
import { waitFor } from './wait.ts'

type PoolMode = 'session' | 'transaction' | 'statement'

/** A PgBouncer in front of a test's database. */
export interface PgBouncer {
  url: string
  setPoolMode(mode: PoolMode): Promise<void>
  close(): Promise<void>
}

const program = 'pgbouncer'

export async function startPgBouncer(databaseUrl: string, mode: PoolMode): Promise<PgBouncer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await findFixedPort()
  const {
    host,
    port: serverPort,
    database,
    user,
    password,
  } = new pg.Client({ connectionString: databaseUrl })
  const server = { host, port: serverPort, dbname: database, user, password: password || undefined }
  const connection = Object.entries(server)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${String(value).replaceAll("'", "''")}'`)
    .join(' ')
  const file = path.join(folder, 'pgbouncer.ini')
  const configure = (poolMode: PoolMode) =>
    writeFile(
      file,
      `[databases]
pooled = ${connection}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = admin
default_pool_size = 60
server_round_robin = 0
pool_mode = ${poolMode}
`,
    )
  await configure(mode)
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...account, file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
  let end: string | undefined
  const ended = once(child, 'close')
    .then(() => output, String)
    .then((reason) => (end = reason))
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `postgres://admin@127.0.0.1:${port}/pooled`
  const query = async (name: string, text: string) => {
    const client = new pg.Client({ connectionString: url.replace(/pooled$/, name) })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.query<Record<string, string>>(text)
    } finally {
      await client.end()
    }
  }
  const close = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true })
  }
  try {
    await waitFor(() => {
      if (end !== undefined) throw new Error(`${program} ended: ${end}`)
      return query('pooled', 'select 1').catch(() => undefined)
    })
  } catch (error) {
    await close()
    throw error
  }
  return {
    url,
    setPoolMode: async (poolMode) => {
      await configure(poolMode)
      await query('pgbouncer', 'reload')
    },
    close,
  }
}

const isInstalled = () => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/**
 * Groups tests that start PgBouncer. They need a database server with a network address, because only Outdial's user can use
 * the socket of an embedded server. Where they can't run, they're skipped and say so; in CI, they fail.
 */
export const describeWithPgBouncer = (name: string, tests: () => void): void =>
  process.env.DATABASE_URL && (isInstalled() || process.env.CI === 'true')
    ? describe(name, tests)
    : describe.skip(`${name} (SKIPPED: needs ${program} and DATABASE_URL)`, tests)
