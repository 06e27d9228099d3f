import { randomBytes } from 'node:crypto'
import pg from 'pg'
import pino from 'pino'
import { startEmbedded } from '../../backend/platform/db/embedded/start-embedded.ts'
import { migrate } from '../../backend/platform/db/migrate.ts'

/**
 * Creates the migrated template database, of which every test file gets a copy. Uses the server of DATABASE_URL, or starts an
 * embedded server, which is removed even if the run is killed.
 */
export async function startDatabase() {
  const embedded = process.env.DATABASE_URL ? undefined : await startTemporary()
  const base = process.env.DATABASE_URL || embedded.url
  const template = process.env.OUTDIAL_TEMPLATE ?? `outdial_test_${randomBytes(6).toString('hex')}`
  // The connection's application name shows other runs that this run is active. They then don't drop its databases.
  const mark = new pg.Client({ connectionString: base, application_name: template })
  await mark.connect()
  await dropLeftovers(mark, template)
  await mark.query(`create database ${template}`)
  const url = new URL(base)
  url.pathname = `/${template}`
  await migrate(url.href)
  process.env.OUTDIAL_TEST_DATABASE = base
  process.env.OUTDIAL_TEMPLATE = template
  return { mark, template, embedded }
}

const startTemporary = () =>
  startEmbedded({
    dataDir: undefined,
    purpose: 'command',
    temporary: true,
    log: pino({ level: 'silent' }),
  })

/** Drops databases of killed runs: those with the template's name, and generated names of runs that aren't connected. */
async function dropLeftovers(mark, template) {
  const { rows } = await mark.query(
    // The table's name is needed, because pg_stat_activity also has a column datname.
    `select database.datname as name from pg_database as database
     where database.datname = $1 or starts_with(database.datname, $1 || '_')
       or database.datname ~ '^outdial_test_[0-9a-f]{12}(_|$)' and not exists (
         select from pg_stat_activity as connection
         where connection.application_name = left(database.datname, length('outdial_test_') + 12))`,
    [template],
  )
  for (const { name } of rows) await mark.query(`drop database if exists ${name} with (force)`)
}
