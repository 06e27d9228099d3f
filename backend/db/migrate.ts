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
  await rejectNewerSchema(url)
  await runner({
    databaseUrl: url,
    dir: folder,
    direction: 'up',
    migrationsTable: 'schema_migration',
    advisoryLockMode: 'wait',
    log: () => {},
  })
}

async function rejectNewerSchema(url: string): Promise<void> {
  const known = new Set((await readdir(folder)).map((file) => file.replace(/\.sql$/, '')))
  const unknown = (await readAppliedMigrations(url)).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new StartupError(
    `The database was made by a newer Outdial (it holds the migration ${unknown.join(', ')}): update Outdial, or ` +
      `use a database of its own.`,
  )
}

async function readAppliedMigrations(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('schema_migration') is not null as found`,
    )
    if (!rows[0]?.found) return []
    const applied = await client.query<{ name: string }>('select name from schema_migration order by id')
    return applied.rows.map((row) => row.name)
  } finally {
    await client.end()
  }
}
