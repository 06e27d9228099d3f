import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, expect, it, jest } from '@jest/globals'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createApp } from '../../app.ts'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { parseConfig } from '../../config.ts'
import { dayMs, minuteMs } from '../../platform/core/durations.ts'
import { connect } from '../../platform/db/connect.ts'
import { findFreePort } from '../../platform/db/embedded/server-address.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { startService } from '../../start.ts'
import { dialCall, seedCall } from '../support/calls.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { testDeps } from '../support/deps.ts'
import { projectRoot } from '../support/embedded-database-process.ts'
import { completeCall, freshNumber, seedWorkspace } from '../support/factories.ts'
import { runtimeSecret } from '../support/http-runtime.ts'
import { waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

jest.setTimeout(60_000)

const database = useTestDatabase()
const secretKey = 'test-key-of-at-least-thirty-two-characters'
const settings = {
  ...{ SECRET_KEY: secretKey, RUNTIME_SECRET: runtimeSecret, LOG_LEVEL: 'silent', PORT: '0' },
  SIMULATION_SPEED: '10000',
}
const token = 'the-metrics-token-of-the-tests-01'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Starts the service with an operator's settings. */
async function start(more: Record<string, string> = {}) {
  const service = await startService({ ...settings, DATABASE_URL: database.url, ...more })
  stops.push(() => service.stop())
  return service
}

/** Returns the value of each sample. The keys are as in the text: `name{label="value"}`. */
function parseSamples(text: string): Map<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

const scrape = async (url: string): Promise<Map<string, number>> =>
  parseSamples(await (await fetch(`${url}/metrics`)).text())

it('counts requests by route and errors by code, and calls by outcome', async () => {
  const service = await start()
  const { publicUrl } = service.config
  const deps = testDeps(database.db, { secretBox: createSecretBox([secretKey]) })
  const seed = await seedWorkspace(deps)
  const { key } = await createApiKey(deps, seed.workspaceId, seed.userId, 'Metrics')
  const post = (body: object, bearer: string) =>
    fetch(`${publicUrl}/api/public/v1/contacts/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign_id: seed.campaignId, ...body }),
    })
  await post({ phone_number: freshNumber() }, key)
  await post({ phone_number: freshNumber(), do_not_call: true }, key)
  await post({ phone_number: 'nobody' }, key)
  await post({ phone_number: freshNumber() }, 'wrong')
  await fetch(`${publicUrl}/anything/${freshNumber()}`)

  const completed = async () =>
    [...(await scrape(publicUrl))]
      .filter(([name]) => name.startsWith('outdial_calls_completed_total'))
      .reduce((sum, [, count]) => sum + count, 0)
  await waitUntil(async () => (await completed()) === 2)
  const samples = await scrape(publicUrl)
  const requests = (status: number) =>
    samples.get(
      `outdial_http_request_duration_seconds_count{method="POST",route="/api/public/v1/contacts/",status="${status}"}`,
    )
  expect([requests(201), requests(422), requests(401)]).toEqual([2, 1, 1])
  expect(samples.get('outdial_http_errors_total{code="validation_failed"}')).toBe(1)
  expect(samples.get('outdial_http_errors_total{code="invalid_credential"}')).toBe(1)
  expect(samples.get('outdial_calls_completed_total{outcome="suppressed",ended_reason="do_not_call"}')).toBe(
    1,
  )
  expect([...samples.keys()].some((name) => name.startsWith('outdial_call_attempts_ended_total'))).toBe(true)
  expect(samples.get('outdial_database_up')).toBe(1)
  expect(samples.get('outdial_loop_stalled{loop="dialer"}')).toBe(0)
  expect(samples.get('outdial_database_connections{state="waiting"}')).toBe(0)
  expect([...samples.keys()].filter((name) => /\+?1\d{10}/.test(name))).toEqual([])
})

it('shows how long calls and deliveries wait for a worker, and how many attempts have lost their worker', async () => {
  const config = parseConfig({ ...settings, PORT: '8787' })
  const deps = testDeps(database.db, { config })
  const app = await createApp(deps)
  stops.push(() => app.close())
  const seed = await seedWorkspace(deps)
  const scrapeApp = async () => parseSamples((await app.inject('/metrics')).body)

  await database.db
    .updateTable('campaign')
    .set({ status: 'paused' })
    .where('id', '!=', seed.campaignId)
    .execute()
  await database.db
    .updateTable('campaign')
    .set({ max_concurrent_calls: 1 })
    .where('id', '=', seed.campaignId)
    .execute()
  const first = await seedCall(deps, seed, freshNumber())
  await seedCall(deps, seed, freshNumber())
  deps.clock.advance(300_000)
  expect((await scrapeApp()).get('outdial_call_queue_lag_seconds')).toBeCloseTo(300, 0)

  // The campaign is at its limit, so its other call waits for capacity, not for a worker.
  await dialCall(deps, seed, first.id)
  const dialing = await scrapeApp()
  expect(dialing.get('outdial_call_queue_lag_seconds')).toBe(0)
  expect(dialing.get('outdial_call_attempts_in_progress')).toBe(1)
  expect(dialing.get('outdial_call_attempts_without_worker')).toBe(0)
  await database.db
    .updateTable('call_attempt')
    .set({ lease_until: new Date(0) })
    .execute()
  expect((await scrapeApp()).get('outdial_call_attempts_without_worker')).toBe(1)

  const before = (await scrapeApp()).get('outdial_delivery_lag_seconds')
  await completeCall(deps, seed, { callbackUrl: 'https://hooks.example.com/one' })
  deps.clock.advance(120_000)
  expect(before).toBe(0)
  expect((await scrapeApp()).get('outdial_delivery_lag_seconds')).toBeGreaterThanOrEqual(110)
})

it('counts calls whose event is overdue, including those whose event is invalid', async () => {
  const config = parseConfig({ ...settings, PORT: '8787' })
  const deps = testDeps(database.db, { config })
  const app = await createApp(deps)
  stops.push(() => app.close())
  const seed = await seedWorkspace(deps)
  const { id } = await seedCall(deps, seed, freshNumber())
  await finishAttempt(deps, await dialCall(deps, seed, id), {
    ...emptyResult('answered', 'contact_hung_up'),
    answeredAt: deps.clock.now(),
    analysis: undefined,
  })
  const count = async () =>
    parseSamples((await app.inject('/metrics')).body).get('outdial_overdue_events') ?? -1
  const before = await count()
  deps.clock.advance(6 * minuteMs)
  expect(await count()).toBe(before + 1)
  await deps.db
    .updateTable('call')
    .set({ transcript: JSON.stringify([{ role: 'nobody' }]) })
    .where('id', '=', id)
    .execute()
  const key = { workspaceId: seed.workspaceId, callId: id }
  expect(await finishAnalysis(deps, key, undefined, dayMs)).toBe('invalid')
  expect(await count()).toBe(before + 1)
})

it('if the database no longer responds, reports within seconds that the database is down', async () => {
  const proxy = await createDatabaseProxy(database.url)
  const db = connect({ url: proxy.url, max: 1 })
  const app = await createApp(testDeps(db, { config: parseConfig({ ...settings, PORT: '8787' }) }))
  stops.push(async () => {
    await app.close()
    await proxy.disconnect()
    await db.destroy()
  })
  expect(parseSamples((await app.inject('/metrics')).body).get('outdial_database_up')).toBe(1)
  proxy.silence()
  const [scraped, ready] = await Promise.all([app.inject('/metrics'), app.inject('/readyz')])
  expect(parseSamples(scraped.body).get('outdial_database_up')).toBe(0)
  expect(ready.statusCode).toBe(503)
}, 10_000)

it('if the connections to the database are lost, reports that the database is down, and leaves out outdated lags', async () => {
  const proxy = await createDatabaseProxy(database.url)
  const service = await start({ DATABASE_URL: proxy.url })
  await proxy.disconnect()
  const samples = await scrape(service.config.publicUrl)
  expect(samples.get('outdial_database_up')).toBe(0)
  expect(samples.has('outdial_call_queue_lag_seconds')).toBe(false)
  expect(samples.get('outdial_loop_stalled{loop="dialer"}')).toBe(0)
})

it.each<[string, Record<string, string>, Record<string, string>, number]>([
  ['shows the metrics to this machine if Outdial serves only this machine', {}, {}, 200],
  [
    'hides the metrics of a public service if METRICS_TOKEN is not set',
    { PUBLIC_URL: 'https://calls.example.com' },
    {},
    404,
  ],
  ['hides the metrics from requests without the token', { METRICS_TOKEN: token }, {}, 404],
  [
    'hides the metrics from requests with a wrong token',
    { METRICS_TOKEN: token },
    { authorization: `Bearer ${token}2` },
    404,
  ],
  [
    'shows the metrics to requests with the token',
    { METRICS_TOKEN: token },
    { authorization: `Bearer ${token}` },
    200,
  ],
])('%s', async (_title, environment, headers, status) => {
  const config = parseConfig({ SECRET_KEY: secretKey, ...environment })
  const app = await createApp(testDeps(database.db, { config }))
  stops.push(() => app.close())
  expect((await app.inject({ url: '/metrics', headers })).statusCode).toBe(status)
  const stranger = await app.inject({ url: '/metrics', headers, remoteAddress: '203.0.113.7' })
  expect(stranger.statusCode).toBe('METRICS_TOKEN' in environment ? status : 404)
})

it('with ROLE=worker, serves only health checks and metrics at WORKER_PORT', async () => {
  const port = await findFreePort('127.0.0.1')
  await start({ ROLE: 'worker', WORKER_PORT: String(port) })
  const url = `http://127.0.0.1:${port}`
  const paths = ['/healthz', '/readyz', '/metrics', '/', '/api/public/v1/calls/', '/sign-in']
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status))
  expect(statuses).toEqual([200, 200, 200, 404, 404, 404])
  expect((await scrape(url)).get('outdial_loop_stalled{loop="sweeper"}')).toBe(0)
  const env = { ROLE: 'worker', PORT: String(await findFreePort('127.0.0.1')), WORKER_PORT: String(port) }
  await promisify(execFile)(process.execPath, ['scripts/healthcheck.mjs'], { env, cwd: projectRoot })
})
