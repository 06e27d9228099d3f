import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import type { Logger } from 'pino'
import { secondMs } from '../core/durations.ts'
import { errorCode, StartupError } from '../core/errors.ts'
import { applyFunctions } from './apply-functions.ts'
import { closeClient } from './close-client.ts'
import { takeConnectFromPublic } from './connect-right.ts'
import { ensureRoles } from './roles.ts'

const folder = fileURLToPath(new URL('migrations', import.meta.url))

/**
 * How long a migration waits for a lock. Meanwhile, statements of running processes on the same table wait, too. Once the
 * migration has the lock, it keeps the lock until its transaction ends, without a limit.
 */
const lockTimeoutMs = secondMs
const retryMs = secondMs
/** After how many failed attempts a warning is logged. Another process that starts at the same time is usually done earlier. */
const silentAttempts = 2

/**
 * Updates the database to the newest schema: migrations, then functions. If several processes do this at the same time, they
 * wait for each other. A transaction that uses a table for long, such as a backup, delays the update, but not the processes
 * that are running. docs/project/migrations.md says how to write a migration that delays no requests.
 *
 * @throws {StartupError} if a newer version of Outdial or an unreleased build has migrated the database, or if an
 *   administrator must create the roles
 */
export async function migrate(url: string, log?: Pick<Logger, 'warn'>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await migrateOnce(url, log)
      return
    } catch (error) {
      if (errorCode(error) !== lockNotAvailable) throw error
    }
    if (attempts === silentAttempts)
      log?.warn(
        'waiting to update the database: another process updates it, or a transaction, such as a backup, uses its tables',
      )
    await delay(retryMs)
  }
}

const lockNotAvailable = '55P03'

async function migrateOnce(url: string, log: Pick<Logger, 'warn'> | undefined): Promise<void> {
  // Statements have no time limit, because a migration of large tables takes long.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5 * secondMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * secondMs,
  })
  client.on('error', () => {}) // the running query rejects with this error
  await client.connect()
  try {
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    await rejectForeignSchema(client)
    await ensureRoles(client)
    await takeConnectFromPublic(client, log)
    // The runner releases its lock before the functions are applied. This separate lock ends with the connection.
    await client.query(`select pg_advisory_lock(hashtextextended('migrations of Outdial', 0))`)
    await runMigrations(client)
    await applyFunctions(client)
  } finally {
    await closeClient(client)
  }
}

async function runMigrations(client: pg.Client): Promise<void> {
  try {
    await runner({
      // The runner gets a client, because it wouldn't wait until its own connection has closed. If the server stopped
      // meanwhile, that connection's error would end the process.
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: 'schema_migration',
      // Each migration has its own transaction, so that its locks are released when it's done. According to the types, all
      // migrations share one by default.
      singleTransaction: false,
      advisoryLockMode: 'wait',
      log: () => {},
    })
  } catch (error) {
    // If the connection was lost, the runner can report it as text in an error without a code, so a caller couldn't see
    // that it's an outage. This statement then fails with the connection's own error.
    if (errorCode(error) === '') await client.query('rollback')
    throw error
  }
}

/**
 * Part of the name of a migration after which earlier versions can't run. All other migrations only add to the schema, so old
 * and new versions can run side by side, and a process of the old version can restart.
 */
const breakingMark = '_breaking_'

/** The number of the first migration. Builds before the first release had other migrations, with lower numbers. */
const firstMigration = 100

async function rejectForeignSchema(client: pg.Client): Promise<void> {
  const applied = await readAppliedMigrations(client)
  const unreleased = applied.find((name) => Number.parseInt(name, 10) < firstMigration)
  if (unreleased !== undefined) {
    throw new StartupError(
      `This database was created by an unreleased build of Outdial (migration ${unreleased}), and can't be updated. Set ` +
        'DATABASE_URL to an empty database. If you use the embedded database, delete the DATA_DIR folder (.outdial by ' +
        'default); this deletes all its data.',
    )
  }
  const known = new Set((await readdir(folder)).map((file) => path.parse(file).name))
  const unknown = applied.filter((name) => !known.has(name))
  const breaking = unknown.filter((name) => name.includes(breakingMark))
  if (breaking.length === 0) return
  throw new StartupError(
    `The database was updated by a newer version of Outdial (migration ${breaking.join(', ')}). Update Outdial, or ` +
      `use another database.`,
  )
}

async function readAppliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('schema_migration') is not null as found`,
  )
  if (!rows[0]?.found) return []
  const applied = await client.query<{ name: string }>('select name from schema_migration order by id')
  return applied.rows.map((row) => row.name)
}
