import pg from 'pg'
import { migrate } from '../../backend/db/migrate.ts'

/** Makes the migrated template from which every test file gets its own database. */
export default async function startDatabase() {
  const base = process.env.DATABASE_URL
  if (!base) throw new Error('DATABASE_URL is unset')
  const template = process.env.OUTDIAL_TEMPLATE ?? 'outdial_template'
  const client = new pg.Client({ connectionString: base })
  await client.connect()
  await client.query(`drop database if exists ${template} with (force)`)
  await client.query(`create database ${template}`)
  await client.end()
  const url = new URL(base)
  url.pathname = `/${template}`
  await migrate(url.href)
  process.env.OUTDIAL_TEST_DATABASE = base
  process.env.OUTDIAL_TEMPLATE = template
}
