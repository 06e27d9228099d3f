import { afterEach, expect, it, jest } from '@jest/globals'
import pino from 'pino'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import { connect } from '../../platform/db/connect.ts'
import { mixesSessions, startSessionChecks, watchSessions } from '../../platform/db/session-watch.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { startService } from '../../start.ts'
import { ManualClock } from '../support/clock.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { describeWithPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

jest.setTimeout(60_000)
/**
 * The time limit of a wait. It's longer than any step, but shorter than Jest's timeout, so that an error shows the failed
 * step.
 */
const waitMs = 15_000
const settings = {
  SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
  RUNTIME_SECRET: 'the-runtime-secret-of-these-tests',
  LOG_LEVEL: 'silent',
  PORT: '0',
}
const database = useTestDatabase()
const opened: PgBouncer[] = []
const open = async (...args: Parameters<typeof startPgBouncer>) => {
  const bouncer = await startPgBouncer(...args)
  opened.push(bouncer)
  return bouncer
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bouncer) => bouncer.close()))
})

it("doesn't report mixed sessions if there is no connection pooler", async () => {
  expect(await mixesSessions(database.url)).toBe(false)
})

it.each(['set outdial.session', 'current_setting'])(
  'the check for mixed sessions fails with an error if the database stops responding at the statement with %s',
  async (text) => {
    const proxy = await createDatabaseProxy(database.url)
    const silent = proxy.silenceAt(text)
    await expect(mixesSessions(proxy.url)).rejects.toThrow('Query read timeout')
    await silent
    await proxy.disconnect()
  },
)

it.each(['user', 'set outdial.session', 'current_setting'])(
  "at shutdown, doesn't wait for a database that stopped responding at the message with %s",
  async (text) => {
    const proxy = await createDatabaseProxy(database.url)
    const silent = proxy.silenceAt(text)
    const log = { debug: jest.fn() }
    const checks = startSessionChecks(new ManualClock(), log, [watchSessions(proxy.url, jest.fn())])
    await silent
    await checks.stop()
    await proxy.disconnect()
    // A shutdown that waited would have logged the timeout.
    expect(log.debug).not.toHaveBeenCalled()
  },
)

describeWithPgBouncer('a connection pooler', () => {
  it("makes the test fail at once, with the pooler's output, if the pooler doesn't start", async () => {
    await expect(startPgBouncer(database.url, 'invalid' as 'session')).rejects.toThrow(/pool_mode/)
  })

  it.each([
    ['session', false],
    ['transaction', true],
    ['statement', true],
  ] as const)('in %s mode, mixes sessions: %s', async (mode, isMixing) => {
    const { url } = await open(database.url, mode)
    expect(await mixesSessions(url)).toBe(isMixing)
  })

  it('in transaction mode, stops startup with an error that says what to change', async () => {
    const { url } = await open(database.url, 'transaction')
    const { hostname, port } = new URL(url)
    await expect(startService({ ...settings, DATABASE_URL: url })).rejects.toThrow(
      `The database in DATABASE_URL (${hostname}:${port}/pooled) can't be used: the statements of a connection run in ` +
        'different sessions, as with PgBouncer in transaction mode, so the rows of workspaces could mix. Use session ' +
        'pooling (pool_mode = session), or connect Outdial to PostgreSQL directly, then start Outdial again.',
    )
  })

  it('if changed to transaction mode, makes all requests but /healthz fail with 503 until Outdial restarts', async () => {
    const bouncer = await open(database.url, 'session')
    const service = await startService({ ...settings, DATABASE_URL: bouncer.url })
    const secretBox = createSecretBox([settings.SECRET_KEY])
    const keys = await Promise.all(
      ['One', 'Other'].map(async () => {
        const { workspaceId, userId } = await seedWorkspace({ db: database.db, secretBox })
        return (await createApiKey(testDeps(database.db), workspaceId, userId, 'Test')).key
      }),
    )
    const get = async (path: string, key = '') => {
      const response = await fetch(service.config.publicUrl + path, {
        headers: { authorization: `Bearer ${key}` },
        redirect: 'manual',
      })
      await response.arrayBuffer()
      return response.status
    }
    const list = () =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) => get('/api/public/v1/agents/', keys[index % keys.length])),
      )
    expect(new Set(await list())).toEqual(new Set([200]))

    await bouncer.setPoolMode('transaction')
    // The first statements that fail use another session's prepared statements. This failure starts a check of the sessions.
    const isMixed = async () => {
      await list()
      return (await get('/readyz')) === 503
    }
    await waitFor(isMixed, undefined, waitMs)
    expect(new Set(await list())).toEqual(new Set([503]))
    const paths = [
      '/readyz',
      '/sign-in',
      '/docs',
      '/oauth/authorize',
      '/api/mcp/sse/?widget_id=x',
      '/nowhere',
    ]
    for (const path of paths) expect({ path, status: await get(path) }).toEqual({ path, status: 503 })
    expect(await get('/healthz')).toBe(200)

    await bouncer.setPoolMode('session')
    expect(new Set(await list())).toEqual(new Set([503]))
    await service.stop()
  })

  it('that changes to transaction mode is detected at the first suspicious error, even right after a check', async () => {
    const bouncer = await open(database.url, 'session')
    const onMixed = jest.fn()
    const sessions = watchSessions(bouncer.url, onMixed)
    await sessions.check()
    expect(sessions.failure).toBeUndefined()

    await bouncer.setPoolMode('transaction')
    const sign = Object.assign(new Error('prepared statement "x" does not exist'), { code: '26000' })
    for (let count = 0; count < 10; count += 1) sessions.noticeFailure(sign)
    await waitFor(() => Promise.resolve(sessions.failure), undefined, waitMs)
    expect(onMixed).toHaveBeenCalledTimes(1)
  })

  it('that changes to transaction mode is detected within a minute, even without a request', async () => {
    const bouncer = await open(database.url, 'session')
    const onMixed = jest.fn()
    const sessions = watchSessions(bouncer.url, onMixed)
    const clock = new ManualClock()
    const checks = startSessionChecks(clock, pino({ level: 'silent' }), [sessions])
    const db = connect({ url: bouncer.url, max: 2, sessions })
    const select = () => db.selectFrom('workspace').select('id').execute()
    await waitUntilChecked(clock)
    await select()

    await bouncer.setPoolMode('transaction')
    await waitFor(
      () => Promise.resolve(sessions.failure),
      () => clock.advance(minuteMs),
      waitMs,
    )
    await expect(select()).rejects.toThrow('the statements of a connection run in different sessions')
    expect(onMixed).toHaveBeenCalledTimes(1)
    await checks.stop()
    await db.destroy()
  })
})

const waitUntilChecked = (clock: ManualClock) =>
  waitFor(() => Promise.resolve(clock.waiting > 0), undefined, waitMs)
