import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { migrate } from '../../platform/db/migrate.ts'
import { repeatAfterOutage, waitForDatabase } from '../../platform/db/wait-for-database.ts'
import { asSuperuser } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { useTestDatabase } from '../support/world.ts'

const silent = pino({ level: 'silent' })
const database = useTestDatabase()

it('waits for a server that is starting', async () => {
  const proxy = await createDatabaseProxy(database.url, { isOpen: false })
  // The first failed attempt logs a warning. This warning makes the proxy connect.
  const log = pino({ level: 'warn' }, { write: () => void proxy.reconnect() })
  await waitForDatabase({ url: proxy.url, timeoutMs: 15_000, log })
  await proxy.disconnect()
})

it("fails after the timeout with an error that doesn't show the password", async () => {
  const proxy = await createDatabaseProxy(database.url, { isOpen: false })
  const url = new URL(proxy.url)
  url.password = 'hunter2'
  const waiting = waitForDatabase({ url: url.href, timeoutMs: 0, log: silent })
  await expect(waiting).rejects.toThrow(
    /^The database in DATABASE_URL \(127\.0\.0\.1:\d+\/\w+\) can't be used: connect ECONNREFUSED/,
  )
  await expect(waiting).rejects.not.toThrow('hunter2')
})

it("fails after the timeout if the server accepts connections, but doesn't respond to statements", async () => {
  const authenticated = Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0])
  const ready = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')])
  const server = createServer((client) => {
    client.on('error', () => {}).once('data', () => client.write(Buffer.concat([authenticated, ready])))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `postgres://outdial@127.0.0.1:${port}/silent`
  await expect(waitForDatabase({ url, timeoutMs: 0, log: silent })).rejects.toThrow('Query read timeout')
  server.close()
}, 30_000)

it.each(['server_version_num', 'outdial.session'])(
  'tries again if the server stops responding at the statement with %s',
  async (text) => {
    const proxy = await createDatabaseProxy(database.url)
    const silence = proxy.silenceAt(text)
    await waitForDatabase({ url: proxy.url, timeoutMs: 30_000, log: silent })
    await silence
    await proxy.disconnect()
  },
  30_000,
)

it("fails immediately if the database doesn't exist", async () => {
  const url = new URL(database.url)
  url.pathname = '/there_is_none'
  await expect(waitForDatabase({ url: url.href, timeoutMs: 60_000, log: silent })).rejects.toThrow(
    'can\'t be used: database "there_is_none" does not exist.',
  )
})

it("rejects a database whose encoding can't store every script", async () => {
  const name = `${process.env.OUTDIAL_TEMPLATE}_${randomBytes(8).toString('hex')}`
  await asSuperuser(database.db, (db) =>
    sql`create database ${sql.id(name)} encoding 'SQL_ASCII' locale 'C' template template0`.execute(db),
  )
  const url = new URL(database.url)
  url.pathname = `/${name}`
  try {
    await expect(waitForDatabase({ url: url.href, timeoutMs: 60_000, log: silent })).rejects.toThrow(
      'its encoding is SQL_ASCII, but Outdial needs UTF8.',
    )
  } finally {
    await asSuperuser(database.db, (db) => sql`drop database ${sql.id(name)} with (force)`.execute(db))
  }
})

it('repeats a startup step after an outage, even if the interrupted step took longer than the timeout', async () => {
  const timeoutMs = 20
  let attempts = 0
  const result = await repeatAfterOutage({ url: database.url, timeoutMs, log: silent }, async () => {
    attempts += 1
    await delay(timeoutMs + 5)
    if (attempts === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    return 'started'
  })
  expect(result).toBe('started')
})

it('repeats a startup step if the server accepts its connection but never responds', async () => {
  const silentServer = createServer((client) => client.on('error', () => {}).unref()).unref()
  await once(silentServer.listen(0, '127.0.0.1'), 'listening')
  const { port } = silentServer.address() as AddressInfo
  const urls = [`postgres://outdial@127.0.0.1:${port}/silent`, database.url]
  const result = await repeatAfterOutage({ url: database.url, timeoutMs: 60_000, log: silent }, async () => {
    const client = new pg.Client({ connectionString: urls.shift(), connectionTimeoutMillis: 5_000 })
    client.on('error', () => {}) // `connect` rejects with this error
    await client.connect()
    await client.end()
    return 'started'
  })
  expect(result).toBe('started')
  expect(urls).toEqual([])
})

it.each(['information_schema.tables', 'table_constraints', 'ORDER BY run_on', 'pg_advisory_unlock'])(
  'repeats the migration if the connection is lost at the statement with %s',
  async (text) => {
    const proxy = await createDatabaseProxy(database.url)
    const lost = proxy.disconnectAt(text).then(() => proxy.reconnect())
    let attempts = 0
    await repeatAfterOutage({ url: proxy.url, timeoutMs: 30_000, log: silent }, async () => {
      attempts += 1
      await migrate(proxy.url)
    })
    await lost
    expect(attempts).toBe(2)
    await proxy.disconnect()
  },
  30_000,
)
