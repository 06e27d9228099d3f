// cspell:ignore école
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import {
  cleanUp,
  createEmptyFolder,
  type DatabaseProcess,
  isAlive,
  startDatabaseProcess,
} from '../../support/embedded-database-process.ts'
import { waitUntil } from '../../support/wait.ts'

jest.setTimeout(90_000)
afterEach(cleanUp)

const socketFolder = ({ url }: DatabaseProcess) => decodeURIComponent(new URL(url).hostname)

describe('a running database', () => {
  it('keeps committed data across a restart', async () => {
    const dataDir = await createEmptyFolder()
    const first = await startDatabaseProcess({ dataDir })
    await first.query('create table kept as select 7 as value')
    await first.stop()

    const second = await startDatabaseProcess({ dataDir })
    expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
  })

  it('supports case-insensitive comparison in any script, and writes commits to disk', async () => {
    const { query } = await startDatabaseProcess({ dataDir: await createEmptyFolder() })
    expect(await query(`select 'ÉCOLE Ж' ilike 'école ж' as same`)).toEqual([{ same: true }])
    expect(await query('show fsync')).toEqual([{ fsync: 'on' }])
  })

  it("listens only on a private socket, not on TCP, and doesn't get Outdial's secrets", async () => {
    const environment = { SECRET_KEY: 'the-secret', PGDATA: '/nowhere' }
    const databaseProcess = await startDatabaseProcess({ dataDir: await createEmptyFolder(), environment })
    expect(await databaseProcess.query('show listen_addresses')).toEqual([{ listen_addresses: '' }])
    expect(statSync(socketFolder(databaseProcess)).mode & 0o077).toBe(0)
    const environ = readFileSync(`/proc/${databaseProcess.pid}/environ`, 'utf8')
    expect(environ).toContain('LC_ALL=C')
    expect(environ).not.toMatch(/the-secret|PGDATA/)
  })

  it('runs in a DATA_DIR whose path is too long for a socket', async () => {
    const dataDir = path.join(await createEmptyFolder(), 'a'.repeat(120), 'b'.repeat(120))
    const { query } = await startDatabaseProcess({ dataDir })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('recovery from killed processes', () => {
  it("stops the database when Outdial's process is killed, and recovers the data at the next start", async () => {
    const dataDir = await createEmptyFolder()
    const first = await startDatabaseProcess({ dataDir })
    await first.query('create table kept as select 7 as value')
    await first.kill()
    const second = await startDatabaseProcess({ dataDir })

    expect(isAlive(first.pid)).toBe(false)
    expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
    await waitUntil(() => !existsSync(socketFolder(first)))
  })

  it("stops the database when Outdial's process is killed, even if Outdial isn't started again", async () => {
    const databaseProcess = await startDatabaseProcess({ dataDir: await createEmptyFolder() })
    await databaseProcess.kill()
    await waitUntil(() => !isAlive(databaseProcess.pid) && !existsSync(socketFolder(databaseProcess)))
  })

  it('if Outdial and its watchdog were killed, stops the leftover database at the next start, and keeps its data', async () => {
    const dataDir = await createEmptyFolder()
    const first = await startDatabaseProcess({ dataDir })
    await first.query('create table kept as select 7 as value')
    const watchdog = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${first.pid}/status`, 'utf8'))?.[1])
    process.kill(watchdog, 'SIGSTOP')
    await first.kill()
    process.kill(watchdog, 'SIGKILL')
    expect(isAlive(first.pid)).toBe(true)

    const second = await startDatabaseProcess({ dataDir })
    expect(isAlive(first.pid)).toBe(false)
    expect(existsSync(socketFolder(first))).toBe(false)
    expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
  })

  it('starts if the pid of a killed database now belongs to another program', async () => {
    const dataDir = await createEmptyFolder()
    const first = await startDatabaseProcess({ dataDir })
    await first.kill()
    await waitUntil(() => !isAlive(first.pid))
    const file = path.join(dataDir, 'postgres/postmaster.pid')
    writeFileSync(file, `${process.pid}\n${path.join(dataDir, 'postgres')}\n`)

    const second = await startDatabaseProcess({ dataDir })
    expect(await second.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('restarts the database at the same address if only the database is killed', async () => {
    const databaseProcess = await startDatabaseProcess({ dataDir: await createEmptyFolder() })
    process.kill(databaseProcess.pid, 'SIGKILL')
    await waitUntil(() =>
      databaseProcess.query('select 1').then(
        () => true,
        () => false,
      ),
    )
    await waitUntil(() => !isAlive(databaseProcess.pid))
  })

  it("removes a temporary database even if Outdial's process is killed", async () => {
    const databaseProcess = await startDatabaseProcess({ temporary: true })
    await databaseProcess.kill()
    await waitUntil(
      () =>
        !isAlive(databaseProcess.pid) &&
        !existsSync(databaseProcess.dataDir) &&
        !existsSync(socketFolder(databaseProcess)),
    )
  })
})

describe('concurrent starts', () => {
  it("rejects a second start with the same DATA_DIR and doesn't affect the first", async () => {
    const dataDir = await createEmptyFolder()
    const first = await startDatabaseProcess({ dataDir })
    await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
      `DATA_DIR ${dataDir} is in use: Outdial is already running there (process ${first.process.pid}).`,
    )
    expect(await first.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('lets exactly one of several concurrent first starts succeed', async () => {
    const dataDir = await createEmptyFolder()
    const starts = await Promise.allSettled([1, 2, 3, 4].map(() => startDatabaseProcess({ dataDir })))
    const errors = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect(errors).toHaveLength(3)
    for (const reason of errors) expect(reason).toContain(`DATA_DIR ${dataDir} is in use`)
  })
})

describe('the start after an interruption', () => {
  it('ignores an owner file that a power failure cut short', async () => {
    const dataDir = await createEmptyFolder()
    writeFileSync(path.join(dataDir, 'owner.json'), '{"pid": 1')
    const { query } = await startDatabaseProcess({ dataDir })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('removes what an interrupted first start left, and starts over', async () => {
    const dataDir = await createEmptyFolder()
    await mkdir(path.join(dataDir, 'postgres.new-abc/data'), { recursive: true })
    await mkdir(path.join(dataDir, 'claiming'))
    utimesSync(path.join(dataDir, 'claiming'), 0, 0)
    const { query } = await startDatabaseProcess({ dataDir })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
    expect(existsSync(path.join(dataDir, 'postgres.new-abc'))).toBe(false)
  })
})

describe('an unusable DATA_DIR', () => {
  it('is rejected if it contains data of another major version of PostgreSQL', async () => {
    const dataDir = await createEmptyFolder()
    await (await startDatabaseProcess({ dataDir })).stop()
    writeFileSync(path.join(dataDir, 'postgres/PG_VERSION'), '17\n')
    await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
      /^DATA_DIR .* contains data of PostgreSQL 17, but this version of Outdial includes PostgreSQL 18/,
    )
  })

  it("is rejected if its postgres folder isn't a database", async () => {
    const dataDir = await createEmptyFolder()
    await mkdir(path.join(dataDir, 'postgres'))
    await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
      /^DATA_DIR .* contains a folder "postgres" that isn't a PostgreSQL database/,
    )
  })

  it('is rejected if it is a file, or if its path leads through a file', async () => {
    const file = path.join(await createEmptyFolder(), 'file')
    writeFileSync(file, '')
    await expect(startDatabaseProcess({ dataDir: file })).rejects.toThrow(`DATA_DIR ${file} can't be used`)
    await expect(startDatabaseProcess({ dataDir: path.join(file, 'below') })).rejects.toThrow(
      'part of the path is a file (ENOTDIR)',
    )
  })
})
