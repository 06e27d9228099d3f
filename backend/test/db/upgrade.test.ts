import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import pg from 'pg'
import { createApp } from '../../app.ts'
import { connect } from '../../db/connect.ts'
import { migrate } from '../../db/migrate.ts'
import type { Db } from '../../db/schema.ts'
import { startSweeper } from '../../dialer/sweeper.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { ManualClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { createSender } from '../support/test-api.ts'
import { waitFor } from '../support/wait.ts'

// A pg_dump of a demo workspace in use, made by the service at commit 6b6b599 and killed during a call (12). Calls 9
// and 10 are queued: 9 until 2027, 10 in a paused campaign. The connection is API key 1.
const dump = new URL('./fixtures/database-of-6b6b599.sql', import.meta.url)

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
  await migrate(url.href)
  db = connect({ url: url.href, max: 8 })
  deps = testDeps(db, { clock: new ManualClock('2026-11-22T08:00:00.000Z') })
  // The dump holds hashes alone: another secret for the same API key.
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

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
