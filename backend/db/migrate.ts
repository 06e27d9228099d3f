import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { StartupError } from '../core/errors.ts'

const folder = fileURLToPath(new URL('migrations', import.meta.url))

/**
 * Brings the database to the newest schema. Several processes may do so at once: they wait for each other.
 *
 * @throws {StartupError} where a newer Outdial has been at the database: this one would write what it does not know
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // the running query rejects with it
  await client.connect()
  try {
    await rejectNewerSchema(client)
    await runner({
      // It doesn't await the end of a connection of its own: if the server stopped then, the error would end the process.
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: 'schema_migration',
      advisoryLockMode: 'wait',
      log: () => {},
    })
  } finally {
    await client.end()
  }
}

async function rejectNewerSchema(client: pg.Client): Promise<void> {
  const known = new Set((await readdir(folder)).map((file) => file.replace(/\.sql$/, '')))
  const unknown = (await readAppliedMigrations(client)).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new StartupError(
    `The database was made by a newer Outdial (it holds the migration ${unknown.join(', ')}): update Outdial, or ` +
      `use a database of its own.`,
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
