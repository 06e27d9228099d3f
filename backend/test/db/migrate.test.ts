import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { functionsFolder, readFunctionVersion } from '../../platform/db/apply-functions.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { runMigrations } from '../support/child-process.ts'
import { createNextVersion } from '../support/next-version.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

/** Does `work` with an empty database. */
async function withEmptyDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const name = `${process.env.OUTDIAL_TEMPLATE}_${randomBytes(8).toString('hex')}`
  await run(database.url, `create database ${name}`)
  const url = new URL(database.url)
  url.pathname = `/${name}`
  try {
    await work(url.href)
  } finally {
    await run(database.url, `drop database ${name} with (force)`)
  }
}

it('lets several processes migrate an empty database at the same time', () =>
  withEmptyDatabase(async (url) => {
    await Promise.all([1, 2, 3, 4].map(() => migrate(url)))
    expect(await run(url, 'select name from schema_migration order by id')).toEqual(await migrations())
    // Each migration has its own transaction, so that it releases its locks before the next one runs.
    const [{ transactions } = {}] = await run(
      url,
      'select count(distinct xmin::text)::int as transactions from schema_migration',
    )
    expect(transactions).toBe((await migrations()).length)
    // All functions are created in one transaction, so that no process sees only some functions of a version.
    const { version, hashes } = await readFunctionVersion()
    expect(
      await run(
        url,
        `select count(*)::int as functions, count(distinct xmin::text)::int as transactions, max(version) as version
         from schema_function`,
      ),
    ).toEqual([{ functions: Object.keys(hashes).length, transactions: 1, version }])
  }))

it('rejects a database of an unreleased build, and writes nothing to it', () =>
  withEmptyDatabase(async (url) => {
    await run(url, 'create table schema_migration (id serial, name text, run_on timestamp)')
    await run(url, `insert into schema_migration (name, run_on) values ('0001_the_whole_line', now())`)
    const listRelations = () => run(url, `select oid, relname, relacl, xmin from pg_class order by oid`)
    const before = await listRelations()
    await expect(migrate(url)).rejects.toThrow(
      "This database was created by an unreleased build of Outdial (migration 0001_the_whole_line), and can't be " +
        'updated. Set DATABASE_URL to an empty database. If you use the embedded database, delete the DATA_DIR folder',
    )
    expect(await listRelations()).toEqual(before)
  }))

describe.each([
  ['without a migration', []],
  ['with a migration', ['create table next_version (id int)']],
])('functions of a new version %s', (_, statements) => {
  it("replace the old version's functions, and stay when the old version starts again", () =>
    withEmptyDatabase(async (url) => {
      const oldText = await readFile(path.join(functionsFolder, 'contact_lock.sql'), 'utf8')
      const next = await createNextVersion(statements, {
        contact_lock: oldText.replace("'contact '", "'number '"),
        next_function: 'create or replace function next_function() returns int language sql return 1;',
      })
      try {
        const hasNewText = async () => {
          const [row] = await run(
            url,
            `select pg_get_functiondef('contact_lock'::regproc) ~ '''number ''' as new`,
          )
          return row?.new as unknown
        }
        const seen: unknown[] = []
        for (const root of [undefined, next.root, undefined, next.root, undefined]) {
          await runMigrations(url, root)
          seen.push(await hasNewText())
        }
        expect(seen).toEqual([false, true, true, true, true])
        expect(await run(url, 'select next_function() as value')).toEqual([{ value: 1 }])
      } finally {
        await next.remove()
      }
    }))

  it('are installed all together or not at all, and after a failure are installed at the next start', () =>
    withEmptyDatabase(async (url) => {
      await migrate(url)
      const next = await createNextVersion(statements, {
        a_function: 'create or replace function a_function() returns int language sql return 1;',
        b_function: 'create or replace function b_function() returns int language sql return missing();',
      })
      try {
        await expect(runMigrations(url, next.root)).rejects.toThrow('function missing() does not exist')
        expect(await run(url, `select to_regproc('a_function') as oid`)).toEqual([{ oid: null }])
        await run(url, 'create function missing() returns int language sql return 2')
        await runMigrations(url, next.root)
        expect(await run(url, 'select a_function() + b_function() as sum')).toEqual([{ sum: 3 }])
      } finally {
        await next.remove()
      }
    }))
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
  const files = await readdir(new URL('../../platform/db/migrations', import.meta.url))
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
