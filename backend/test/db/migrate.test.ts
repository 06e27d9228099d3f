import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import pg from 'pg'
import { migrate } from '../../db/migrate.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('lets several processes migrate an empty database at the same time', async () => {
  const name = `${process.env.OUTDIAL_TEMPLATE}_${randomBytes(8).toString('hex')}`
  await run(database.url, `create database ${name}`)
  const url = new URL(database.url)
  url.pathname = `/${name}`
  try {
    await Promise.all([1, 2, 3, 4].map(() => migrate(url.href)))
    expect(await run(url.href, 'select name from schema_migration order by id')).toEqual(await migrations())
    // Each in its own transaction, so that no migration keeps its locks while the next one runs.
    const [{ transactions } = {}] = await run(
      url.href,
      'select count(distinct xmin::text)::int as transactions from schema_migration',
    )
    expect(transactions).toBe((await migrations()).length)
  } finally {
    await run(database.url, `drop database ${name} with (force)`)
  }
})

it('starts with a database that a newer version of Outdial has extended', async () => {
  await run(database.url, `insert into schema_migration (name, run_on) values ('9998_of_the_future', now())`)
  await migrate(database.url)
})

it('rejects a database that a newer version of Outdial has changed in a breaking way', async () => {
  await run(
    database.url,
    `insert into schema_migration (name, run_on) values ('9999_breaking_change', now())`,
  )
  await expect(migrate(database.url)).rejects.toThrow(
    'The database was updated by a newer version of Outdial (migration 9999_breaking_change). Update Outdial',
  )
})

async function migrations(): Promise<{ name: string }[]> {
  const files = await readdir(new URL('../../db/migrations', import.meta.url))
  return files.sort().map((file) => ({ name: path.parse(file).name }))
}

async function run(url: string, sql: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<pg.QueryResultRow>(sql)).rows
  } finally {
    await client.end()
  }
}
