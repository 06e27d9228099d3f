import pg from 'pg'
import { migrate } from '../../backend/db/migrate.ts'

/** Makes the migrated template from which every test file gets its own database. */
export default async function startDatabase() {
  const base = process.env.DATABASE_URL
  if (!base) throw new Error('DATABASE_URL is unset')
  const client = new pg.Client({ connectionString: base })
  await client.connect()
  await client.query('drop database if exists outdial_template with (force)')
  await client.query('create database outdial_template')
  await client.end()
  const template = new URL(base)
  template.pathname = '/outdial_template'
  await migrate(template.href)
  process.env.OUTDIAL_TEST_DATABASE = base
}
