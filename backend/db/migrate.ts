import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'

/** Brings the database to the newest schema. Several processes may do so at once: they wait for each other. */
export async function migrate(url: string): Promise<void> {
  await runner({
    databaseUrl: url,
    dir: fileURLToPath(new URL('migrations', import.meta.url)),
    direction: 'up',
    migrationsTable: 'schema_migration',
    advisoryLockMode: 'wait',
    log: () => {},
  })
}
