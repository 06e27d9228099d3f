import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { chown, mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, it, jest } from '@jest/globals'
import { findBinaries } from '../../../db/embedded/binaries.ts'
import {
  cleanUp,
  createEmptyFolder,
  isRoot,
  itAsRoot,
  query,
  startDatabaseProcess,
  unprivilegedUser,
} from '../../support/embedded-database-process.ts'

jest.setTimeout(90_000)
afterEach(cleanUp)

const withLogin = (url: string, username: string, password: string) =>
  Object.assign(new URL(url), { username, password }).href

/** Creates the data folder of an early version: PostgreSQL ran as nobody and trusted each user of its socket. */
async function createOldDataDir(): Promise<string> {
  const { uid, gid } = unprivilegedUser
  const dataDir = await createEmptyFolder()
  const cluster = path.join(dataDir, 'postgres')
  await mkdir(cluster)
  if (uid !== undefined && gid !== undefined) await chown(cluster, uid, gid)
  const account = { name: 'nobody', ids: uid === undefined || gid === undefined ? undefined : { uid, gid } }
  const { initdb, postgres } = await findBinaries(account)
  const options = { ...unprivilegedUser, cwd: '/', env: { LC_ALL: 'C' } }
  execFileSync(
    initdb,
    ['-D', cluster, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    options,
  )
  const input = [
    'create table kept (id bigint generated always as identity primary key, value int)',
    'insert into kept (value) values (7)',
    'create sequence numbers',
    'create function twice(number int) returns int language sql return 2 * number',
    "create type mood as enum ('happy')",
  ].join('\n')
  execFileSync(postgres, ['--single', '-D', cluster, 'postgres'], {
    ...options,
    input,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  return dataDir
}

it('converts the data folder of an early version, and keeps its data', async () => {
  const dataDir = await createOldDataDir()
  const first = await startDatabaseProcess({ dataDir })
  await first.query('insert into kept (value) values (8)')
  await first.query('alter table kept add column note text')
  await first.query('alter sequence numbers restart with 5')
  await first.query('alter function twice rename to double')
  await first.query("alter type mood add value 'sad'")
  expect(await first.query('select id, value, double(value) as double from kept order by id')).toEqual([
    { id: '1', value: 7, double: 14 },
    { id: '2', value: 8, double: 16 },
  ])
  if (isRoot) {
    const outdial = Number(execFileSync('id', ['-u', 'outdial']))
    const files = execFileSync('find', [path.join(dataDir, 'postgres'), '!', '-uid', String(outdial)])
    expect(files.toString()).toBe('')
  }
  await expect(query(withLogin(first.url, 'postgres', ''), 'select 1')).rejects.toThrow('password')
  await first.stop()

  const second = await startDatabaseProcess({ dataDir })
  expect(await second.query('select count(*)::int as count from kept')).toEqual([{ count: 2 }])
})

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

it('asks for the password, which only the user who starts Outdial can read', async () => {
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

it("uses a role that can't run programs, read files, or change other roles' rights", async () => {
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
