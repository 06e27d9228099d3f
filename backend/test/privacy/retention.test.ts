import { beforeAll, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { startRetention } from '../../privacy/retention.ts'
import { findCall } from '../../queue/calls/get-calls.ts'
import { writeCompletedEvents } from '../../webhooks/outbox.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { type Seed, seedWorkspace } from '../support/factories.ts'
import { receiveReport } from '../support/receive-report.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
let deps: TestDeps
let contactCount = 0
beforeAll(async () => {
  deps = testDeps(database.db)
})

const daysBefore = (days: number) => new Date(deps.clock.now().getTime() - days * 86_400_000)

/** Creates a workspace that stores conversations for `days` days. */
async function seedWithRetention(days: number | null): Promise<Seed> {
  const seed = await seedWorkspace(deps)
  await database.db
    .updateTable('workspace')
    .set({ retention_days: days })
    .where('id', '=', seed.workspaceId)
    .execute()
  return seed
}

/** Creates a call answered `days` days ago, with everything that's stored about a conversation. */
async function seedConversation(seed: Seed, days: number): Promise<number> {
  contactCount += 1
  const workspace_id = seed.workspaceId
  const to_number = `+1202555${String(contactCount).padStart(4, '0')}`
  const contact = await database.db
    .insertInto('contact')
    .values({
      workspace_id,
      phone_number: to_number,
      first_name: 'Kim',
      created_at: daysBefore(days),
      updated_at: daysBefore(days),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const call = await database.db
    .insertInto('call')
    .values({
      workspace_id,
      campaign_id: seed.campaignId,
      contact_id: contact.id,
      agent_id: seed.agentId,
      phone_number_id: seed.phoneNumberId,
      status: 'completed',
      outcome: 'answered',
      from_number: '+12025550190',
      to_number,
      queued_at: daysBefore(days),
      due_at: daysBefore(days),
      ended_at: daysBefore(days),
      duration_seconds: 61,
      sentiment: 'positive',
      summary: 'secret summary',
      transcript: JSON.stringify([{ role: 'contact', text: 'a secret', at: daysBefore(days).toISOString() }]),
      extracted: JSON.stringify({ budget: 'secret' }),
      recording_url: 'https://example.com/secret',
      metadata: JSON.stringify({ lead: '7' }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const attempt = await database.db
    .insertInto('call_attempt')
    .values({
      workspace_id,
      call_id: call.id,
      campaign_id: seed.campaignId,
      number: 1,
      to_number,
      test: false,
      provider: 'http',
      worker_id: '00000000-0000-4000-8000-000000000000',
      lease_until: daysBefore(days),
      started_at: daysBefore(days),
      ended_at: daysBefore(days),
      outcome: 'answered',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await database.db
    .insertInto('attempt_report')
    .values({ attempt_id: attempt.id, sequence: 1, body: '{"text":"secret"}' })
    .execute()
  await database.db
    .insertInto('tool_call')
    .values({
      workspace_id,
      call_id: call.id,
      attempt_id: attempt.id,
      tool_name: 'contact_note',
      arguments: '{"text":"secret"}',
      result: 'secret saved',
      is_error: false,
      dry_run: false,
      started_at: daysBefore(days),
      duration_ms: 5,
    })
    .execute()
  await database.db
    .insertInto('contact_note')
    .values({ workspace_id, contact_id: contact.id, call_id: call.id, text: 'calls back in May' })
    .execute()
  const callView = await findCall({ ...deps, db: database.db }, workspace_id, call.id, deps.clock.now())
  if (callView === undefined) throw new Error('call not found')
  await writeCompletedEvents(database.db, workspace_id, {
    calls: [callView],
    at: daysBefore(days),
  })
  return call.id
}

/** Returns everything that's stored about a call, as JSON. */
async function findTraces(callId: number): Promise<string> {
  const { db } = database
  return JSON.stringify([
    await db.selectFrom('call').selectAll().where('id', '=', callId).execute(),
    await db.selectFrom('tool_call').selectAll().where('call_id', '=', callId).execute(),
    await db.selectFrom('event').select('body').where('call_id', '=', callId).execute(),
    await db
      .selectFrom('attempt_report')
      .innerJoin('call_attempt', 'call_attempt.id', 'attempt_id')
      .select('body')
      .where('call_id', '=', callId)
      .execute(),
  ])
}

/** Runs the job once. */
async function runErasure(): Promise<void> {
  const worker = startRetention(deps)
  while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  await worker.stop()
}

it('erases from every table the conversations that are older than the retention period, but keeps the calls', async () => {
  const seed = await seedWithRetention(30)
  const old = await seedConversation(seed, 31)
  expect(await findTraces(old)).toContain('secret')
  await runErasure()
  expect(await findTraces(old)).not.toContain('secret')
  const call = await findCall({ ...deps, db: database.db }, seed.workspaceId, old, deps.clock.now())
  expect(call).toMatchObject({
    outcome: 'answered',
    duration_seconds: 61,
    sentiment: 'positive',
    transcript: [],
    transcript_text: null,
    summary: null,
    extracted: {},
    recording_url: null,
    metadata: { lead: '7' },
    contact: { first_name: 'Kim' },
  })
  const { body } = await database.db
    .selectFrom('event')
    .select('body')
    .where('call_id', '=', old)
    .executeTakeFirstOrThrow()
  expect(JSON.parse(body)).toMatchObject({ type: 'call.completed', data: { ...call, id: old } })
  const notes = await database.db
    .selectFrom('contact_note')
    .select('text')
    .where('call_id', '=', old)
    .execute()
  expect(notes).toEqual([{ text: 'calls back in May' }])
})

it('ignores a late report about an erased conversation', async () => {
  const callId = await seedConversation(await seedWithRetention(30), 31)
  await runErasure()
  const { id } = await database.db
    .selectFrom('call_attempt')
    .select('id')
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow()
  const analysis = { summary: 'a secret', sentiment: 'neutral', goal_met: null, extracted: {} } as const
  await receiveReport(deps, id, {
    sequence: 9,
    type: 'analysis',
    analysis,
    at: deps.clock.now().toISOString(),
  })
  expect(await findTraces(callId)).not.toContain('secret')
})

it('keeps conversations within the retention period, and all conversations of workspaces without such a period', async () => {
  const recent = await seedConversation(await seedWithRetention(30), 29)
  const retained = await seedConversation(await seedWithRetention(null), 3_000)
  await runErasure()
  expect(await findTraces(recent)).toContain('a secret')
  expect(await findTraces(retained)).toContain('a secret')
})

it('looks every hour for conversations that have become too old, and erases them', async () => {
  const callId = await seedConversation(await seedWithRetention(1), 0.99)
  const worker = startRetention(deps)
  while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(await findTraces(callId)).toContain('a secret')
  deps.clock.advance(3_600_000)
  while ((await findTraces(callId)).includes('secret')) await new Promise((resolve) => setImmediate(resolve))
  await worker.stop()
})

it('erases all old conversations in one run, even if they need more than one batch', async () => {
  const seed = await seedWithRetention(10)
  const first = await seedConversation(seed, 20)
  await sql`
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at, summary)
    select workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at, summary
    from call, generate_series(1, 1100) where id = ${first}`.execute(database.db)
  await runErasure()
  const remaining = await database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .where('summary', 'is not', null)
    .execute()
  expect(remaining).toEqual([])
})
