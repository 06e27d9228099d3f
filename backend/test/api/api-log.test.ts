import { afterEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { createApiLog, deleteOldRequests } from '../../api/api-log.ts'
import type { LoggedRequest } from '../../api/api-log-store.ts'
import { createApp } from '../../app.ts'
import { describeRequest } from '../../dashboard/stories/describe-request.ts'
import { findRequest } from '../../dashboard/stories/request-queries.ts'
import { asSuperuser } from '../support/database.ts'
import { testDeps } from '../support/deps.ts'
import { freshNumber } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { createRewritingDatabase } from '../support/rewriting-database.ts'
import { createSender, useApiWorld } from '../support/test-api.ts'
import { waitFor, waitUntil } from '../support/wait.ts'

const world = useApiWorld()

const secondMs = 1_000
const dayMs = 86_400_000

afterEach(async () => {
  await world.deps.db.deleteFrom('api_request').execute()
})

const readLog = () => world.deps.db.selectFrom('api_request').selectAll().orderBy('id').execute()

/** Waits until the log has at least `count` requests, and returns it. */
const waitForLog = (count: number) =>
  waitFor(
    async () => {
      const rows = await readLog()
      return rows.length >= count && rows
    },
    () => world.deps.clock.advance(secondMs),
  )

const contact = (fields: object = {}) => ({
  phone_number: freshNumber(),
  campaign_id: world.seed.campaignId,
  ...fields,
})

it('stores what each request did, which objects it created, and which credential it used', async () => {
  const headers = { 'idempotency-key': 'lead-1', 'x-request-id': 'zap-1' }
  const body = contact()
  const queued = await world.send({ method: 'POST', path: '/contacts/', body, headers })
  await world.send({
    ...{ method: 'POST', path: '/contacts/', body },
    headers: { ...headers, 'x-request-id': 'zap-2' },
  })
  await world.send({ method: 'POST', path: '/contacts/', body })
  const subscription = await world.send({
    ...{ method: 'POST', path: '/webhooks/subscribe' },
    body: { target_url: 'https://hooks.example.com/log', event: 'call.completed' },
  })
  const { id: subscriptionId } = subscription.json<{ id: number }>()
  await world.send({ method: 'DELETE', path: `/webhooks/${subscriptionId}/` })
  const { id: callId } = queued.json<{ call: { id: number } }>().call

  const rows = await waitForLog(5)
  expect(rows[0]).toMatchObject({
    workspace_id: world.seed.workspaceId,
    ...{ request_id: 'zap-1', method: 'POST', route: '/contacts/', status: 201, idempotency: 'first' },
    ...{ user_id: world.seed.userId, api_key_id: expect.any(Number), client_id: null },
    ...{ call_id: callId, contact_id: expect.any(Number), error_code: null, fields: [] },
  })
  expect(rows.map(describeRequest)).toEqual([
    `Queued call ${callId}.`,
    `Repeated request: this idempotency key was already used, so Outdial returned the earlier response, for call ${callId}.`,
    `Didn't queue a call, because the contact's call ${callId} in this campaign was still waiting or in progress.`,
    `Created webhook subscription ${subscriptionId}.`,
    `Ended webhook subscription ${subscriptionId}.`,
  ])
  const shown = await findRequest(world.deps.db, world.seed.workspaceId, rows[0]?.id ?? 0)
  expect(shown).toMatchObject({ key_name: 'Test', user_name: 'Robin' })
})

it('stores the error code and the invalid fields of a rejected request', async () => {
  await world.send({
    method: 'POST',
    path: '/contacts/',
    body: contact({ email: 'x', first_name: 'x'.repeat(201) }),
  })
  await world.send({ method: 'POST', path: '/contacts/', raw: '{' })

  const rows = await waitForLog(2)
  expect(rows).toMatchObject([
    {
      status: 422,
      error_code: 'validation_failed',
      fields: ['first_name', 'email'],
      field_codes: ['too_long', 'invalid_email'],
      call_id: null,
    },
    { status: 400, error_code: 'malformed_json', fields: [] },
  ])
  expect(rows.map(describeRequest)).toEqual([
    expect.stringMatching(
      /^Rejected with validation_failed \(first_name: too_long, email: invalid_email\)\. [A-Z]/,
    ),
    expect.stringMatching(/^Rejected with malformed_json\. [A-Z]/),
  ])
})

it.each([
  ['zapier/1.0.0', 'zapier/1.0.0'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), null],
  ['zapier 1.0.0', null],
  ['maya@example.com', null],
  ['', null],
  [undefined, null],
])('stores the X-Outdial-Client header %j as the client version %j', async (header, stored) => {
  await world.send({ path: '/calls/', headers: header === undefined ? {} : { 'x-outdial-client': header } })

  expect(await waitForLog(1)).toMatchObject([{ status: 200, client_version: stored }])
})

it("doesn't store phone numbers, names, or other text from a request's path, query, or body", async () => {
  const number = '+12025550100'
  const body = contact({ phone_number: number, first_name: 'Maya', metadata: { deal: 'roof' } })
  await world.send({ method: 'POST', path: '/contacts/', body })
  await world.send({ path: `/calls/?phone_number=${encodeURIComponent(number)}` })
  await world.send({ path: '/calls/12025550100/' })
  await world.send({
    method: 'POST',
    path: '/contacts/',
    body: contact({ [number]: 1, 'maya@example.com': 2 }),
  })

  const rows = await waitForLog(4)
  expect(rows.map(({ route, status, fields }) => [route, status, fields])).toEqual([
    ['/contacts/', 201, []],
    ['/calls/', 200, []],
    ['/calls/:id/', 404, []],
    ['/contacts/', 422, ['another field', 'another field']],
  ])
  expect(JSON.stringify(rows)).not.toMatch(/2025550100|maya|roof/i)
})

it("doesn't store requests without a valid credential, because they belong to no workspace", async () => {
  await world.send({ path: '/calls/', key: null })
  await world.send({ path: '/calls/', key: 'odk_wrong' })
  await world.send({ path: '/calls/' })
  expect(await waitForLog(1)).toHaveLength(1)
})

it('stores a request whose client disconnected before the response', async () => {
  const body = contact()
  await world.send({ method: 'POST', path: '/contacts/', body })
  await waitForLog(1)
  const url = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const disconnect = new AbortController()
  const lock = await lockContacts()

  const request = fetch(`${url}/api/public/v1/contacts/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.key}`,
      'content-type': 'application/json',
      'x-request-id': 'cut-off',
    },
    body: JSON.stringify({ ...body, if_already_queued: 'queue' }),
    signal: disconnect.signal,
  }).catch(() => 'disconnected')
  await waitForLockWaiters(world.deps.db)
  disconnect.abort()
  expect(await request).toBe('disconnected')
  await lock.release()

  const rows = await waitForLog(2)
  expect(rows[1]).toMatchObject({ request_id: 'cut-off', status: 201, call_id: expect.any(Number) })
})

/** Locks all contacts until `release` is called. */
async function lockContacts() {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const { promise: locked, resolve } = Promise.withResolvers<undefined>()
  const transaction = world.deps.db.transaction().execute(async (tx) => {
    await tx.selectFrom('contact').select('id').forUpdate().execute()
    resolve(undefined)
    await released
  })
  await locked
  return {
    release: async () => {
      release()
      await transaction
    },
  }
}

const entry = (values: Partial<LoggedRequest> = {}): LoggedRequest => ({
  workspace_id: world.seed.workspaceId,
  at: world.deps.clock.now(),
  duration_ms: 5,
  request_id: 'direct',
  method: 'GET',
  route: '/calls/',
  object_id: null,
  status: 200,
  error_code: null,
  fields: [],
  field_codes: [],
  idempotency: null,
  user_id: world.seed.userId,
  api_key_id: null,
  client_id: null,
  client_version: null,
  contact_id: null,
  call_id: null,
  campaign_id: null,
  subscription_id: null,
  ...values,
})

const countRows = async () => (await readLog()).length

it('the log writes its entries after a second, when a batch is full, and when the log is closed', async () => {
  const deps = testDeps(world.deps.db)
  const log = createApiLog(deps, { batchSize: 3 })
  log.record(entry())
  log.record(entry())
  await waitUntil(() => deps.clock.waiting === 1)
  expect(await countRows()).toBe(0)
  deps.clock.advance(secondMs)
  await waitUntil(async () => (await countRows()) === 2)

  for (let index = 0; index < 3; index += 1) log.record(entry())
  await waitUntil(async () => (await countRows()) === 5)

  log.record(entry())
  await log.close()
  expect(await countRows()).toBe(6)
})

it("when the service stops, writes the requests that the log hasn't written yet", async () => {
  const deps = testDeps(world.deps.db)
  const app = await createApp(deps)
  await createSender(app, world.key)({ path: '/agents/' })
  expect(await countRows()).toBe(0)
  await app.close()
  expect(await readLog()).toMatchObject([{ route: '/agents/', status: 200 }])
})

it('while the database is unavailable, keeps requests up to a limit, and drops and counts the oldest ones beyond it', async () => {
  await asSuperuser(world.deps.db, (db) =>
    sql`create function fail_to_insert(jsonb) returns void language plpgsql as $$
      begin raise exception using errcode = '57P03'; end $$`.execute(db),
  )
  let failures = 0
  let isOut = true
  const db = createRewritingDatabase(world.url, (text) => {
    if (!isOut || !text.includes('insert into api_request')) return text
    failures += 1
    return 'select fail_to_insert($1::jsonb)'
  })
  const deps = testDeps(db)
  const dropped = async () => (await deps.metrics.apiLogDropped.get()).values[0]?.value
  const log = createApiLog(deps, { batchSize: 2, maxWaiting: 4 })
  const record = (from: number, to: number) => {
    for (let index = from; index <= to; index += 1) log.record(entry({ request_id: `request-${index}` }))
  }
  try {
    record(1, 3)
    await waitUntil(() => failures === 1 && deps.clock.waiting === 1)
    expect(await dropped()).toBe(0)
    record(4, 6)
    expect(await dropped()).toBe(2)

    isOut = false
    deps.clock.advance(secondMs)
    await log.close()
    expect((await readLog()).map((row) => row.request_id)).toEqual(
      [3, 4, 5, 6].map((each) => `request-${each}`),
    )

    isOut = true
    record(7, 7)
    await log.close()
    expect([await dropped(), await countRows()]).toEqual([3, 4])
  } finally {
    await db.destroy()
  }
})

it('stores at most 60 rate-limited requests per connection per minute', async () => {
  const deps = testDeps(world.deps.db)
  const log = createApiLog(deps)
  for (let index = 0; index < 100; index += 1) log.record(entry({ status: 429, error_code: 'rate_limited' }))
  log.record(entry({ status: 429, api_key_id: 12 }))
  deps.clock.advance(60_000)
  log.record(entry({ status: 429 }))
  await log.close()
  expect(await countRows()).toBe(62)
})

it('keeps the entries of today and the previous 14 days, whatever the length of the month, and deletes older ones', async () => {
  for (const today of ['2026-03-01T23:59:59Z', '2026-05-04T15:00:00Z', '2028-02-29T00:00:00Z']) {
    const now = new Date(today)
    const log = createApiLog(testDeps(world.deps.db))
    const days = Array.from({ length: 18 }, (_, day) => new Date(now.getTime() - day * dayMs))
    for (const at of days) log.record(entry({ at }))
    await log.close()

    await deleteOldRequests(world.deps.db, now)

    const left = (await readLog()).map(({ at }) => at.toISOString()).sort()
    expect(left).toEqual(
      days
        .slice(0, 15)
        .map((at) => at.toISOString())
        .sort(),
    )
    await world.deps.db.deleteFrom('api_request').execute()
  }
})
