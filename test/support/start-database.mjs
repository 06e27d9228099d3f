import { randomBytes } from 'node:crypto'
import pg from 'pg'
import pino from 'pino'
import { startEmbedded } from '../../backend/platform/db/embedded/start-embedded.ts'
import { migrate } from '../../backend/platform/db/migrate.ts'

/**
 * Creates the migrated template from which every test file gets its own database. Uses the server of DATABASE_URL, or
 * starts an embedded server that is removed after the run, however the run ends.
 */
export async function startDatabase() {
  const embedded = process.env.DATABASE_URL ? undefined : await startTemporary()
  const base = process.env.DATABASE_URL || embedded.url
  const template = process.env.OUTDIAL_TEMPLATE ?? `outdial_test_${randomBytes(6).toString('hex')}`
  // The application name shows other runs that this run is active, so they don't drop its databases.
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

/** Drops databases of killed runs: those with this name, and those with generated names whose run isn't connected. */
async function dropLeftovers(mark, template) {
  const { rows } = await mark.query(
    // pg_stat_activity also has a datname.
    `select database.datname as name from pg_database as database
     where database.datname = $1 or starts_with(database.datname, $1 || '_')
       or database.datname ~ '^outdial_test_[0-9a-f]{12}(_|$)' and not exists (
         select from pg_stat_activity as connection
         where connection.application_name = left(database.datname, length('outdial_test_') + 12))`,
    [template],
  )
  for (const { name } of rows) await mark.query(`drop database if exists ${name} with (force)`)
}
