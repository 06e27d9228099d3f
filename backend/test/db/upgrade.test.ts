import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pg from 'pg'
import { createApp } from '../../app.ts'
import { findDoNotCallRemovals, isOnDoNotCallList } from '../../calls/check-do-not-call.ts'
import { loadDoNotCallKey } from '../../calls/do-not-call-key.ts'
import { connect } from '../../db/connect.ts'
import { migrate } from '../../db/migrate.ts'
import type { Db } from '../../db/schema.ts'
import { startSweeper } from '../../dialer/sweeper.ts'
import { checkSecretKeys } from '../../secrets/secret-keys.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { ManualClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { createSender } from '../support/test-api.ts'
import { waitFor } from '../support/wait.ts'

// A pg_dump of a demo workspace in use, made by the service at commit 6b6b599 and killed during a call (12). Calls 9
// and 10 are queued: 9 until 2027, 10 in a paused campaign. The connection is API key 1.
const dump = new URL('./fixtures/database-of-6b6b599.sql', import.meta.url)

// Rows that the dump lacks, whose columns or values have been renamed since.
const rowsOfOldNames = `
  update webhook_delivery set status = 'dead', tries = 10, next_try_at = null where id in (5, 7);
  update campaign set line_failures = 3, replan_after = 12 where id = 2;
  insert into contact_import (id, workspace_id, file_name, status, problem, tries, created_at, expires_at)
    overriding system value values
    (1, 1, 'leads.csv', 'failed', 'This file cannot be read.', 4, '2026-11-22', '2026-11-23');
  insert into contact_import_row (import_id, position, state, is_refused, problems, result, call) values
    (1, 2, 'new', false, '[]', 'created', 'queued'),
    (1, 3, 'known', true, '[]', 'updated', 'refused'),
    (1, 4, 'wrong', false, '[{"column":"phone","message":"This is not a phone number."}]', null, null);
  insert into password_reset (token_hash, user_id, made_by, expires_at) values ('\\x01', 1, 1, '2026-11-23')`

// A number whose contact was erased, and one that a member removed from the list.
const doNotCallRows = `
  insert into do_not_call (workspace_id, number_hash, source) values (1, number_hash(1, '+12025550171'), 'api');
  insert into do_not_call_removal (workspace_id, number_hash, source, reason, removed_by, removed_at)
    values (1, number_hash(1, '+12025550172'), 'call', 'Asked to be called', 1, '2026-11-22')`

let server: TestDatabase
let name: string
let db: Db
let deps: TestDeps
let app: Awaited<ReturnType<typeof createApp>>
const key = 'odk_of_the_upgrade_test'

beforeAll(async () => {
  server = await createTestDatabase()
  const url = new URL(server.url)
  name = `${url.pathname.slice(1)}_${randomBytes(4).toString('hex')}`
  url.pathname = `/${name}`
  await run(server.url, `create database ${name}`)
  await run(url.href, await readFile(dump, 'utf8'))
  await run(url.href, rowsOfOldNames)
  await run(url.href, doNotCallRows)
  await migrate(url.href)
  const doNotCallKey = await convertDoNotCallList(url.href)
  db = connect({ url: url.href, max: 8, doNotCallKey })
  deps = testDeps(db, { clock: new ManualClock('2026-11-22T08:00:00.000Z') })
  await checkSecretKeys(db, deps.config.secretKeys, deps.secretBox, deps.log)
  // The dump contains only hashes, so the API key gets a new secret.
  await db
    .updateTable('credential')
    .set({ token_hash: hashToken(key) })
    .where('api_key_id', '=', 1)
    .execute()
  app = await createApp(deps)
})
afterAll(async () => {
  await app.close()
  await db.destroy()
  await run(server.url, `drop database ${name} with (force)`)
  await server.close()
})

/** Converts the list as two processes that start at the same time, and then as a third. Returns the list's key. */
async function convertDoNotCallList(url: string): Promise<Buffer> {
  const starting = connect({ url, max: 2 })
  const load = () => loadDoNotCallKey(testDeps(starting))
  const [first, second] = await Promise.all([load(), load()])
  const third = await load()
  await starting.destroy()
  expect([second, third]).toEqual([first, first])
  return first
}

it('reads every call of an older database after the upgrade', async () => {
  const response = await createSender(app, key)({ path: '/calls/' })
  const { results } = response.json<{ results: Record<string, unknown>[] }>()
  const seen = results.map(({ id, status, outcome, ended_reason, attempts, waiting_for }) =>
    [id, status, outcome, ended_reason, attempts, waiting_for].join(' '),
  )
  expect(seen).toEqual([
    '12 in_progress   1 ',
    '11 completed answered agent_hung_up 1 ',
    '10 queued   0 campaign_paused',
    '9 queued   0 schedule',
    '8 completed answered agent_hung_up 2 ',
    '7 completed answered contact_hung_up 1 ',
    '6 completed failed line_failed 1 ',
    '5 completed declined contact_declined 1 ',
    '4 completed voicemail voicemail_reached 1 ',
    '3 completed busy line_busy 3 ',
    '2 completed no_answer ring_timeout 3 ',
    '1 completed answered agent_hung_up 1 ',
  ])
  expect(results.at(-1)).toMatchObject({
    contact: { first_name: 'Maya', external_id: 'lead-0100', variables: { product: 'a roof inspection' } },
    metadata: { row: '7' },
    transcript: expect.arrayContaining([expect.objectContaining({ role: 'tool' })]),
  })
})

it('lets an older API key use the operations that were added', async () => {
  const body = { phone_number: '+12025550179' }
  const response = await createSender(app, key)({ method: 'POST', path: '/calls/cancel', body })
  expect(response.json()).toEqual({ canceled: [] })
})

it('keeps the contact of an older completed call as it was in its event', async () => {
  await db.updateTable('contact').set({ first_name: 'Mia' }).where('first_name', '=', 'Maya').execute()
  const response = await createSender(app, key)({ path: '/calls/1/' })
  expect(response.json()).toMatchObject({ contact: { first_name: 'Maya' }, origin: null })
})

it('keeps data in columns and values that were renamed', async () => {
  const deliveries = await db
    .selectFrom('webhook_delivery')
    .select(['id', 'attempts', 'next_attempt_at'])
    .where('status', '=', 'exhausted')
    .orderBy('id')
    .execute()
  expect(deliveries).toEqual([5, 7].map((id) => ({ id, attempts: 10, next_attempt_at: null })))
  const [pending] = await db
    .selectFrom('webhook_delivery')
    .select('next_attempt_at')
    .where('id', '=', 10)
    .execute()
  expect(pending?.next_attempt_at).toEqual(new Date('2026-11-22T07:05:55.928Z'))

  const campaign = db.selectFrom('campaign').select(['provider_failures', 'reschedule_after_call_id'])
  expect(await campaign.where('id', '=', 2).execute()).toEqual([
    { provider_failures: 3, reschedule_after_call_id: 12 },
  ])
  const erased = db.selectFrom('call').select(['id', 'conversation_erased_at'])
  expect(await erased.where('conversation_erased_at', 'is not', null).execute()).toEqual([
    { id: 11, conversation_erased_at: new Date('2026-11-22T07:05:52.009Z') },
  ])
  const attempts = await db.selectFrom('call_attempt').select('provider').execute()
  expect(attempts.map(({ provider }) => provider)).toEqual(Array(15).fill('simulated'))

  const imports = await db.selectFrom('contact_import').select(['error', 'attempts']).execute()
  expect(imports).toEqual([{ error: 'This file cannot be read.', attempts: 4 }])
  const rows = await db.selectFrom('contact_import_row').selectAll().orderBy('position').execute()
  expect(rows).toMatchObject([
    { state: 'new', on_do_not_call_list: false, issues: [], call: 'queued' },
    { state: 'existing', on_do_not_call_list: true, issues: [], call: 'do_not_call' },
    { state: 'invalid', on_do_not_call_list: false, issues: [expect.anything()], call: null },
  ])
  const resets = await db.selectFrom('password_reset').select(['user_id', 'created_by']).execute()
  expect(resets).toEqual([{ user_id: 1, created_by: 1 }])
})

it('has no tables, columns, constraints, or indexes with old names', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace
    union all
    select conname from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select attname from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not attisdropped
    union all
    select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace
    union all
    select pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace`.execute(
    db,
  )
  const names = rows.map(({ name: found }) => found)
  const oldWord =
    /(^|[^a-z])(line|talk|replan|tries|try|dead|answer|problems?|refused|wrong|known|made)([^a-z]|$)|^attempt_(?!id|report)/
  expect(names.filter((found) => oldWord.test(found))).toEqual([])
})

it('replays a response that was stored before the upgrade', async () => {
  const campaign = {
    path: '/campaigns/',
    method: 'POST' as const,
    headers: { 'idempotency-key': 'campaign-before-the-upgrade' },
    body: { name: 'Made once', agent_id: 1, phone_number_id: 1 },
  }
  const contact = {
    path: '/contacts/',
    method: 'POST' as const,
    headers: { 'idempotency-key': 'before-the-upgrade' },
    body: {
      phone_number: '+12025550108',
      campaign_id: 1,
      first_name: 'Idem',
      scheduled_at: '2027-06-01T12:00:00Z',
    },
  }
  for (const request of [campaign, contact]) {
    const replayed = await createSender(app, key)(request)
    expect([replayed.statusCode, replayed.headers['idempotent-replayed']]).toEqual([201, 'true'])
  }
})

it('ends a call whose worker died before the upgrade, with one event', async () => {
  const sweeper = startSweeper(deps)
  try {
    const call = await waitFor(async () => {
      const response = await createSender(app, key)({ path: '/calls/12/' })
      const found = response.json<{ status: string }>()
      return found.status === 'completed' ? found : undefined
    })
    expect(call).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost' })
    const events = await db.selectFrom('event').select('id').where('call_id', '=', 12).execute()
    expect(events).toHaveLength(1)
  } finally {
    await sweeper.stop()
  }
})

it('blocks the numbers on a do-not-call list from before the upgrade, also one of an erased contact', async () => {
  const numbers = ['+12025550106', '+12025550171', '+12025550172']
  const listed = await Promise.all(numbers.map((number) => isOnDoNotCallList(db, 1, number)))
  expect(listed).toEqual([true, true, false])
  const response = await createSender(
    app,
    key,
  )({
    path: '/contacts/',
    method: 'POST',
    body: { phone_number: '+12025550171', campaign_id: 1 },
  })
  expect(response.json()).toMatchObject({
    contact: { do_not_call: true },
    call: { status: 'completed', outcome: 'suppressed' },
  })
  expect(await findDoNotCallRemovals(db, 1, '+12025550172')).toMatchObject([{ reason: 'Asked to be called' }])
})

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
