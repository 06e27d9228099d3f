import { beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { archiveEndedCalls, lockArchiveForMove } from '../../calls/archive-store.ts'
import { addNote } from '../../contacts/contact-notes.ts'
import { dayMs } from '../../core/durations.ts'
import { finishAnalysis } from '../../dialer/finish-attempt.ts'
import { recordToolCall } from '../../mcp/record-tool-call.ts'
import { previewShorterRetention } from '../../privacy/change-retention.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { startRetention } from '../../privacy/retention.ts'
import { archiveCalls, listArchivedCalls } from '../support/archive.ts'
import { getCall, seedCall } from '../support/calls.ts'
import { ManualClock } from '../support/clock.ts'
import { asSuperuser } from '../support/database.ts'
import { analysis, number, useErasureWorld } from '../support/erasure.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { waitUntil } from '../support/wait.ts'

const { world, erase, claim, seedConversation, toolCall, findTraces } = useErasureWorld()
// Contacts of earlier tests have the same number.
beforeEach(() => world.deps.db.deleteFrom('workspace').where('id', '!=', world.seed.workspaceId).execute())

const archivedIds = () => listArchivedCalls(world.deps, world.seed.workspaceId)

/** Creates a conversation with everything that's stored about it, whose deliveries have ended. */
async function seedEndedConversation() {
  const { deps, seed } = world
  const conversation = await seedConversation('http')
  await toolCall(conversation)
  await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId: conversation.call.id }, analysis)
  await addNote(deps, seed.workspaceId, conversation.contactId, {
    callId: conversation.call.id,
    text: 'Zelda likes mornings',
  })
  await deps.db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null })
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  return conversation
}

const laterDate = (days: number) => new Date(world.deps.clock.now().getTime() + days * dayMs)

it('leaves no trace of a person with archived calls', async () => {
  const conversation = await seedEndedConversation()
  await archiveCalls(world.deps)
  expect(await archivedIds()).toEqual([conversation.call.id])
  const found = (await findTraces()).map((trace) => trace.split(':')[0])
  expect(found).toEqual(
    expect.arrayContaining([
      'archived_call',
      'archived_call_attempt',
      'archived_event',
      'archived_tool_call',
      'archived_webhook_delivery',
      'call_callback',
      'contact_note',
    ]),
  )

  await erase(conversation.contactId)
  expect(await findTraces()).toEqual([])
  const erased = await getCall(world.deps, world.seed, conversation.call.id)
  expect(erased).toMatchObject({ outcome: 'answered', to_number: '', transcript: [] })

  await archiveCalls(world.deps)
  expect(await archivedIds()).toEqual([conversation.call.id])
  expect(await getCall(world.deps, world.seed, conversation.call.id)).toEqual(erased)
})

/** Creates an ended call of another contact, with a tool call that mentions the person. Returns its ID. */
async function seedMention(): Promise<number> {
  const { deps, seed } = world
  const other = await seedCall(deps, seed, '+12025550188', { first_name: 'Ann' })
  const attempt = await claim()
  await recordToolCall(deps, seed.workspaceId, {
    call: {
      attemptId: attempt.id,
      callId: other.id,
      campaignId: seed.campaignId,
      contactId: other.contact.id,
      phoneNumber: '+12025550188',
      test: false,
    },
    toolName: 'look_up',
    args: { number: '(202) 555-0173' },
    result: { text: 'the neighbor', isError: false },
    dryRun: false,
    startedAt: deps.clock.now(),
    durationMs: 5,
  })
  await endCall(other.id, attempt.id)
  return other.id
}

it("erases a person from the tool calls of others' archived calls", async () => {
  const { deps, seed } = world
  const callId = await seedMention()
  const person = await seedCall(deps, seed, number)
  await archiveCalls(deps)
  expect(await archivedIds()).toEqual([callId])
  await erase(person.contact.id)
  expect(await findTraces()).toEqual([])
})

it('finds a person in the tool calls of more calls than one statement reads', async () => {
  const { deps, seed } = world
  const first = await seedMention()
  await sql`
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at)
    select workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at
    from call, generate_series(1, 5000) where id = ${first}`.execute(deps.db)
  const last = await seedMention()
  const person = await seedCall(deps, seed, number)
  await archiveCalls(deps)
  const archived = await archivedIds()
  await erase(person.contact.id)
  expect(await findTraces()).toEqual([])
  // Only the calls that mention the person were restored.
  expect(await archivedIds()).toEqual(archived.filter((id) => id !== first && id !== last))
})

/** Erases a contact. Calls `work` while the search of tool calls waits for a lock. */
async function runDuringSearch(contactId: number, work: () => Promise<void>): Promise<void> {
  const { deps } = world
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const blocking = asSuperuser(deps.db, (connection) =>
    connection.transaction().execute(async (db) => {
      await sql`lock table archived_tool_call in access exclusive mode`.execute(db)
      locked.resolve()
      await release.promise
    }),
  )
  await locked.promise
  const erasing = erase(contactId)
  erasing.catch(() => {})
  await waitForLockWaiters(deps.db)
  await work().finally(() => release.resolve())
  await Promise.all([blocking, erasing])
}

it("doesn't lock the contact while it searches tool calls, which can take long", async () => {
  const { deps, seed } = world
  const { contact } = await seedCall(deps, seed, number)
  await runDuringSearch(contact.id, async () => {
    const { rows } = await sql`select from contact where id = ${contact.id} for update nowait`.execute(
      deps.db,
    )
    expect(rows).toHaveLength(1)
  })
  expect(await findTraces()).toEqual([])
})

it('erases nothing if the email address changes after the search', async () => {
  const { deps, seed } = world
  const { contact } = await seedCall(deps, seed, number)
  const erasing = runDuringSearch(contact.id, async () => {
    await sql`update contact set email = 'new@example.com' where id = ${contact.id}`.execute(deps.db)
  })
  await expect(erasing).rejects.toThrow('was changed meanwhile')
  expect(await findTraces()).not.toEqual([])
  await erase(contact.id)
  expect(await findTraces()).toEqual([])
})

/** Ends a call without a conversation. */
async function endCall(callId: number, attemptId: string): Promise<void> {
  const { db, clock } = world.deps
  await db
    .updateTable('call_attempt')
    .set({ ended_at: clock.now(), outcome: 'no_answer' })
    .where('id', '=', attemptId)
    .execute()
  await db
    .updateTable('call')
    .set({ status: 'completed', outcome: 'no_answer', ended_at: clock.now() })
    .where('id', '=', callId)
    .execute()
}

it('erases a call that is moving to the archive', async () => {
  const { deps, seed } = world
  const conversation = await seedEndedConversation()
  const release = Promise.withResolvers<void>()
  const moved = Promise.withResolvers<number>()
  const archiving = deps.db.transaction().execute(async (db) => {
    expect(await lockArchiveForMove(db, seed.workspaceId)).toBe(true)
    const limits = { endedBefore: laterDate(1), now: laterDate(1), limit: 10 }
    moved.resolve(await archiveEndedCalls(db, seed.workspaceId, limits))
    await release.promise
  })
  expect(await moved.promise).toBe(1)
  const erasing = erase(conversation.contactId)
  await waitForLockWaiters(deps.db)
  release.resolve()
  await Promise.all([archiving, erasing])
  expect(await findTraces()).toEqual([])
  expect(await archivedIds()).toEqual([])
})

it("doesn't move a call whose contact is being erased", async () => {
  const { deps, seed } = world
  const conversation = await seedEndedConversation()
  await deps.db.transaction().execute(async (db) => {
    await eraseContact({ ...deps, db }, seed.workspaceId, conversation.contactId)
    await archiveCalls(deps)
    expect(await archivedIds()).toEqual([])
  })
  expect(await findTraces()).toEqual([])
})

it('restores a call once for an erasure and the retention at the same time', async () => {
  const { deps, seed } = world
  const conversation = await seedEndedConversation()
  await archiveCalls(deps)
  await setRetention(30)
  await Promise.all([erase(conversation.contactId), runRetention(31)])
  expect(await findTraces()).toEqual([])
  const calls = await deps.db
    .selectFrom('any_call')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls).toEqual([{ id: conversation.call.id }])
})

const setRetention = (days: number) =>
  world.deps.db
    .updateTable('workspace')
    .set({ retention_days: days })
    .where('id', '=', world.seed.workspaceId)
    .execute()

/** Runs the job once, by a clock that is `days` ahead. */
async function runRetention(days: number): Promise<void> {
  const clock = new ManualClock(laterDate(days).toISOString())
  const job = startRetention({ ...world.deps, clock })
  await waitUntil(() => clock.waiting > 0)
  await job.stop()
}

it('erases archived conversations that are older than the retention, and counts them in its preview', async () => {
  const { deps, seed } = world
  const conversation = await seedEndedConversation()
  await archiveCalls(deps)
  const findConversation = async () =>
    (await findTraces()).filter((trace) => /speaking|is glad|zelda\.mp3/.test(trace))
  expect((await findConversation()).length).toBe(2)
  const preview = { db: deps.db, clock: new ManualClock(laterDate(400).toISOString()) }
  expect(await previewShorterRetention(preview, seed.workspaceId, 365)).toMatchObject({ callCount: 1 })

  await setRetention(365)
  await runRetention(364)
  expect((await findConversation()).length).toBe(2)
  expect(await archivedIds()).toEqual([conversation.call.id])
  await runRetention(366)
  expect(await findConversation()).toEqual([])
  const { rows } = await sql<{ content: string }>`
    select arguments::text || result as content from any_tool_call where workspace_id = ${seed.workspaceId}`.execute(
    deps.db,
  )
  expect(rows).toEqual([{ content: '{}' }])
  await archiveCalls(deps)
  expect(await archivedIds()).toEqual([conversation.call.id])
  expect(await getCall(deps, seed, conversation.call.id)).toMatchObject({
    summary: null,
    duration_seconds: 0,
  })
})

it('erases more than one batch of archived conversations in one run', async () => {
  const { deps, seed } = world
  const conversation = await seedEndedConversation()
  await sql`
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at, summary)
    select workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at, summary
    from call, generate_series(1, 1100) where id = ${conversation.call.id}`.execute(deps.db)
  await archiveCalls(deps)
  expect((await archivedIds()).length).toBe(1_101)
  await setRetention(365)
  await runRetention(366)
  const left = deps.db.selectFrom('any_call').select('id').where('workspace_id', '=', seed.workspaceId)
  expect((await left.execute()).length).toBe(1_101)
  expect(await left.where('summary', 'is not', null).execute()).toEqual([])
})
