import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, it, jest } from '@jest/globals'
import {
  cleanUp,
  createEmptyFolder,
  itAsRoot,
  query,
  startDatabaseProcess,
  unprivilegedUser,
} from '../../support/embedded-database-process.ts'

jest.setTimeout(90_000)
afterEach(cleanUp)

const withLogin = (url: string, username: string, password: string) =>
  Object.assign(new URL(url), { username, password }).href

it('creates a new password if the file with the password was deleted', async () => {
  const dataDir = await createEmptyFolder()
  const first = await startDatabaseProcess({ dataDir })
  await first.query('create table kept as select 7 as value')
  await first.stop()
  await rm(path.join(dataDir, 'database-password'))

  const second = await startDatabaseProcess({ dataDir })
  expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
  await expect(
    query(withLogin(second.url, 'outdial', new URL(first.url).password), 'select 1'),
  ).rejects.toThrow('password authentication failed')
})

it('requires a password that only the user who starts Outdial can read', async () => {
  const { dataDir, url } = await startDatabaseProcess({ dataDir: await createEmptyFolder() })
  const file = path.join(dataDir, 'database-password')
  expect(new URL(url).password).toBe(await readFile(file, 'utf8'))
  expect(new URL(url).password).toMatch(/^.{43}$/)
  for (const name of ['database-password', 'owner.json'])
    expect(statSync(path.join(dataDir, name)).mode & 0o777).toBe(0o600)
  for (const [role, password] of [
    ['outdial', ''],
    ['outdial', 'wrong'],
    ['postgres', ''],
    ['postgres', new URL(url).password],
  ] as const)
    await expect(query(withLogin(url, role, password), 'select 1')).rejects.toThrow(/password/)
})

it("uses a database role that can't run programs, read files, or become a superuser", async () => {
  const { query: run } = await startDatabaseProcess({ dataDir: await createEmptyFolder() })
  const columns = 'rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls'
  expect(await run(`select ${columns} from pg_roles where rolname = current_user`)).toEqual([
    {
      rolname: 'outdial',
      rolsuper: false,
      rolcreaterole: true,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
    },
  ])
  for (const statement of [
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/passwd')`,
    'alter role outdial superuser',
    'set role postgres',
  ])
    await expect(run(statement)).rejects.toThrow(/permission denied/)
})

itAsRoot("doesn't let another user of the machine reach the database, even with the password", async () => {
  const { url } = await startDatabaseProcess({ dataDir: await createEmptyFolder() })
  const socket = path.join(decodeURIComponent(new URL(url).hostname), '.s.PGSQL.5432')
  const connect = (ids: { uid?: number; gid?: number }) =>
    execFileSync(
      process.execPath,
      [
        '-e',
        `require('node:net').connect(process.argv[1]).on('connect', () => { console.log('connected'); process.exit() })
          .on('error', (error) => console.log(error.code))`,
        socket,
      ],
      { ...ids, cwd: '/', encoding: 'utf8' },
    ).trim()
  expect(connect(unprivilegedUser)).toBe('EACCES')
  expect(connect({})).toBe('connected')
})
