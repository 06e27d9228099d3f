import { beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { respondOnce } from '../../api/idempotency.ts'
import { addNumberToDoNotCallList, removeNumberFromDoNotCallList } from '../../calls/do-not-call.ts'
import { addContact } from '../../contacts/add-contact.ts'
import { addNote } from '../../contacts/contact-notes.ts'
import { queueCallback } from '../../contacts/queue-callback.ts'
import { saveContact } from '../../contacts/upsert-contact.ts'
import { ApiError } from '../../core/errors.ts'
import { type AttemptResult, emptyResult } from '../../dialer/attempt-result.ts'
import { claimCalls } from '../../dialer/claim-calls.ts'
import { finishAnalysis, finishAttempt } from '../../dialer/finish-attempt.ts'
import { receiveReport } from '../../dialer/receive-report.ts'
import { recordToolCall } from '../../mcp/record-tool-call.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { eraseCallbackUrlsOfErasedContacts } from '../../webhooks/erase-events.ts'
import { advanceUntil, getCall, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { type Seed, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
let deps: TestDeps
let seed: Seed
beforeEach(async () => {
  await database.db.updateTable('campaign').set({ status: 'archived' }).execute()
  deps = testDeps(database.db)
  seed = await seedWorkspace(deps)
})

const number = '+12025550173'
const email = 'zelda.quine@example.com'
const person = {
  first_name: 'Zelda',
  last_name: 'Quine',
  email,
  external_id: 'crm-zelda',
  time_zone: 'America/Denver',
  variables: { dog: 'Zelda-dog' },
  metadata: { sheet: 'Zelda-row' },
  consent: { source: 'Zelda-form', at: '2026-05-01T09:00:00Z' },
  callback_url: 'https://hooks.example.com/zelda?name=Zelda',
}
const answered: AttemptResult = {
  ...emptyResult('answered', 'agent_hung_up'),
  answeredAt: new Date('2026-05-04T15:00:00Z'),
  transcript: [{ role: 'contact', text: 'Zelda speaking', at: '2026-05-04T15:00:01.000Z' }],
  recordingUrl: 'https://example.com/zelda.mp3',
}
const analysis = {
  summary: 'Zelda is glad',
  sentiment: 'positive',
  goalMet: true,
  extracted: { name: 'Zelda' },
} as const

const toContactKey = (contactId: number) => ({ workspaceId: seed.workspaceId, contactId })
const erase = (contactId: number) => eraseContact(deps, toContactKey(contactId))

async function claim(provider = 'simulated') {
  const lease = { provider, workerId: crypto.randomUUID(), leaseMs: 60_000 }
  const [claimed] = await claimCalls(deps, lease, 1)
  if (claimed === undefined) throw new Error('there was nothing to claim')
  return claimed
}

/** A talk that has ended and waits for its analysis. */
async function seedConversation(provider?: string) {
  const call = await seedCall(deps, seed, number, person)
  const attempt = await claim(provider)
  expect(await finishAttempt(deps, attempt, answered)).toBe('analyzing')
  return { call, contactId: call.contact.id, attempt }
}

const toolCall = (conversation: Awaited<ReturnType<typeof seedConversation>>) =>
  recordToolCall(deps, {
    workspaceId: seed.workspaceId,
    call: {
      attemptId: conversation.attempt.id,
      callId: conversation.call.id,
      campaignId: seed.campaignId,
      contactId: conversation.contactId,
      phoneNumber: number,
      test: false,
    },
    toolName: 'contact_note',
    args: { text: 'Zelda' },
    result: { text: 'Zelda', isError: false },
    dryRun: false,
    startedAt: deps.clock.now(),
    durationMs: 5,
  })

/** Rows in which the person is still to be found, but for those that say where an event is still to go. */
async function findTraces(): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(deps.db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.table(name)} t
      where to_jsonb(t)::text ~* 'zelda|quine|2025550173|555.{0,3}0173'
        and coalesce(to_jsonb(t) ->> 'workspace_id', ${String(seed.workspaceId)}) = ${String(seed.workspaceId)}
        and not (to_jsonb(t) ? 'next_attempt_at' and to_jsonb(t) ->> 'status' = 'pending')`.execute(deps.db)
    found.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  return found
}

it('leaves no trace of a person in any table, and tells each call once', async () => {
  const caller = toCaller(seed)
  const body = { phone_number: number, campaign_id: seed.campaignId, ...person }
  const request = { caller, method: 'POST', path: '/contacts', key: 'once', body }
  const { body: storedBody } = await respondOnce(deps, request, async (tx) => ({
    status: 201,
    body: await addContact(tx, caller, body),
  }))
  const { contact, call } = storedBody as Awaited<ReturnType<typeof addContact>>
  const attempt = await claim('http')
  await receiveReport(deps, attempt.id, {
    sequence: 1,
    type: 'ended',
    outcome: 'answered',
    ended_reason: 'agent_hung_up',
    at: '2026-05-04T15:00:30.000Z',
    answered_at: '2026-05-04T15:00:00.000Z',
    transcript: answered.transcript,
  })
  await finishAttempt(deps, attempt, answered)
  await toolCall({ call, contactId: contact.id, attempt })
  await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId: call.id }, analysis)
  await addNote(deps, seed.workspaceId, contact.id, { callId: call.id, text: 'Zelda likes mornings' })
  const waiting = await seedCall(deps, seed, number, { metadata: { sheet: 'Zelda' } })
  await addNumberToDoNotCallList(deps, seed.workspaceId, { phoneNumber: '+12025550174' }, 'Another one')
  await deps.db
    .insertInto('spreadsheet')
    .values({ id: 'leads', workspace_id: seed.workspaceId, name: 'Leads', columns: ['a', 'b', 'c'] })
    .execute()
  await deps.db
    .insertInto('spreadsheet_row')
    .values(
      [
        ['(202) 555-0173', 'slate', `write to ${email.toUpperCase()}`],
        ['+12025550199', 'tin', 'other@example.com'],
      ].map((cells) => ({ workspace_id: seed.workspaceId, spreadsheet_id: 'leads', cells })),
    )
    .execute()
  expect((await findTraces()).length).toBeGreaterThan(8)

  await erase(contact.id)

  expect(await findTraces()).toEqual([])
  const rows = await deps.db
    .selectFrom('spreadsheet_row')
    .select('cells')
    .where('spreadsheet_id', '=', 'leads')
    .orderBy('id')
    .execute()
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['', 'slate', ''],
    ['+12025550199', 'tin', 'other@example.com'],
  ])
  expect(await getCall(deps, seed, call.id)).toMatchObject({
    outcome: 'answered',
    duration_seconds: 0,
    to_number: '',
    contact: { phone_number: '', first_name: null },
  })
  expect(await getCall(deps, seed, waiting.id)).toMatchObject({
    outcome: 'canceled',
    ended_reason: 'contact_erased',
  })
  expect(await listEvents(deps, call.id)).toHaveLength(1)
  expect(await listEvents(deps, waiting.id)).toMatchObject([{ data: { outcome: 'canceled', to_number: '' } }])
  const again = await respondOnce(deps, request, () => Promise.reject(new Error('done twice')))
  expect(again).toMatchObject({ replayed: true, body: { contact: { id: contact.id, phone_number: '' } } })
})

it('forgets a callback address once its event has been delivered, before the erasure or after it', async () => {
  const { contactId, call } = await seedConversation()
  await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId: call.id }, undefined)
  await seedCall(deps, seed, number, { ...person, callback_url: 'https://other.example.com/?name=Zelda' })
  const deliveries = () =>
    deps.db
      .selectFrom('webhook_delivery')
      .select(['target_url', 'status'])
      .where('workspace_id', '=', seed.workspaceId)
      .orderBy('id')
      .execute()
  const endAll = (status: 'exhausted' | 'delivered') =>
    deps.db
      .updateTable('webhook_delivery')
      .set({ status, next_attempt_at: null })
      .where('workspace_id', '=', seed.workspaceId)
      .where('status', '=', 'pending')
      .execute()
  await endAll('exhausted')
  await erase(contactId)
  expect(await deliveries()).toEqual([
    { target_url: 'https://hooks.example.com/', status: 'gone' },
    { target_url: 'https://other.example.com/?name=Zelda', status: 'pending' },
  ])
  await eraseCallbackUrlsOfErasedContacts(deps.db, deps.clock.now())
  expect((await deliveries())[1]?.status).toBe('pending')
  await endAll('delivered')
  await eraseCallbackUrlsOfErasedContacts(deps.db, deps.clock.now())
  expect((await deliveries())[1]).toEqual({ target_url: 'https://other.example.com/', status: 'delivered' })
})

it('keeps the refusal to be called: the same number, added anew, is refused', async () => {
  const first = await seedCall(deps, seed, number, person)
  await addNumberToDoNotCallList(deps, seed.workspaceId, { contactId: first.contact.id }, 'Zelda said so')
  await erase(first.contact.id)
  expect(await findTraces()).toEqual([])
  const again = await seedCall(deps, seed, number)
  expect(again).toMatchObject({ outcome: 'suppressed', contact: { do_not_call: true } })
  expect(again.contact.id).not.toBe(first.contact.id)
})

it('refuses while a call rings or talks, and changes nothing then', async () => {
  const call = await seedCall(deps, seed, number, person)
  const attempt = await claim()
  await expect(erase(call.contact.id)).rejects.toThrow('under way')
  expect((await getCall(deps, seed, call.id)).contact.first_name).toBe('Zelda')
  await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))
  await erase(call.contact.id)
  expect((await getCall(deps, seed, call.id)).contact.first_name).toBeNull()
})

it('erases twice at the same moment, and a contact of another workspace not at all', async () => {
  const call = await seedCall(deps, seed, number, person)
  const other = await seedWorkspace(deps)
  const theirs = eraseContact(deps, { workspaceId: other.workspaceId, contactId: call.contact.id })
  await expect(theirs).rejects.toThrow('no contact')
  await Promise.all([erase(call.contact.id), erase(call.contact.id)])
  expect(await listEvents(deps, call.id)).toHaveLength(1)
})

it('tells a talk without its analysis, which changes nothing when it comes late', async () => {
  const conversation = await seedConversation('http')
  await erase(conversation.contactId)
  expect(await listEvents(deps, conversation.call.id)).toMatchObject([
    { data: { outcome: 'answered', transcript: [], summary: null } },
  ])
  await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId: conversation.call.id }, analysis)
  await receiveReport(deps, conversation.attempt.id, {
    sequence: 9,
    type: 'analysis',
    at: '2026-05-04T15:02:00.000Z',
    analysis: { summary: 'Zelda', sentiment: 'neutral', goal_met: null, extracted: { who: 'Zelda' } },
  })
  await toolCall(conversation)
  await expect(
    addNote(deps, seed.workspaceId, conversation.contactId, { callId: conversation.call.id, text: 'Zelda' }),
  ).rejects.toThrow('no contact')
  const callback = queueCallback(
    deps,
    {
      workspaceId: seed.workspaceId,
      campaignId: seed.campaignId,
      contactId: conversation.contactId,
      phoneNumber: number,
      test: false,
    },
    { at: '2026-05-05T10:00', dryRun: false },
  )
  await expect(callback).rejects.toThrow('no longer kept')
  expect(await listEvents(deps, conversation.call.id)).toHaveLength(1)
  expect(await findTraces()).toEqual([])
})

/** Holds the erasure open when all is written, while others come; then lets it commit. */
async function runDuringErasure(contactId: number, start: () => Promise<unknown>[]) {
  const release = Promise.withResolvers<void>()
  const erased = Promise.withResolvers<void>()
  const erasing = deps.db.transaction().execute(async (tx) => {
    await eraseContact({ ...deps, db: tx }, toContactKey(contactId))
    erased.resolve()
    await release.promise
  })
  await Promise.race([erased.promise, erasing])
  const results = Promise.allSettled(start())
  await waitForLockWaiters(deps.db)
  release.resolve()
  await erasing
  return results
}

it('lets nothing be written back that comes while it is being erased', async () => {
  const conversation = await seedConversation('http')
  await runDuringErasure(conversation.contactId, () => [
    finishAnalysis(deps, { workspaceId: seed.workspaceId, callId: conversation.call.id }, analysis),
    receiveReport(deps, conversation.attempt.id, {
      sequence: 9,
      type: 'analysis',
      at: '2026-05-04T15:02:00.000Z',
      analysis: { summary: 'Zelda', sentiment: 'neutral', goal_met: null, extracted: { who: 'Zelda' } },
    }),
    toolCall(conversation),
    addNote(deps, seed.workspaceId, conversation.contactId, { callId: conversation.call.id, text: 'Zelda' }),
  ])
  expect(await findTraces()).toEqual([])
  expect(await listEvents(deps, conversation.call.id)).toHaveLength(1)
})

it('makes a contact of its own of the same number, added while the old one is being erased', async () => {
  const call = await seedCall(deps, seed, number, person)
  const [added] = await runDuringErasure(call.contact.id, () => [
    seedCall(deps, seed, number, { first_name: 'Ann' }),
  ])
  expect(added).toMatchObject({ status: 'fulfilled', value: { contact: { first_name: 'Ann' } } })
  const rows = await deps.db
    .selectFrom('contact')
    .select(['phone_number', 'first_name'])
    .where('workspace_id', '=', seed.workspaceId)
    .orderBy('id')
    .execute()
  expect(rows).toEqual([
    { phone_number: '', first_name: null },
    { phone_number: number, first_name: 'Ann' },
  ])
})

it('is refused, or cancels the call, whichever is first of it and the dialer', async () => {
  for (let round = 0; round < 10; round += 1) {
    const call = await seedCall(deps, seed, number, { ...person, callback_url: undefined })
    const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
    const [erased, claimed] = await Promise.allSettled([erase(call.contact.id), claimCalls(deps, lease, 1)])
    const attempts = claimed.status === 'fulfilled' ? claimed.value : []
    expect(attempts).toHaveLength(erased.status === 'fulfilled' ? 0 : 1)
    for (const attempt of attempts) await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))
    await erase(call.contact.id)
    await advanceUntil(deps, seed, call.id, ({ status }) => status === 'completed')
    expect(await listEvents(deps, call.id)).toHaveLength(1)
  }
  expect(await findTraces()).toEqual([])
})

it('stays whole whatever else happens to the person at the same moment', async () => {
  const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
  const settle = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      // A refusal is an answer; a deadlock or a broken constraint is none.
      if (!(error instanceof ApiError)) throw error
    })
  const current = async () => {
    const contact = await deps.db
      .selectFrom('contact')
      .select('id')
      .where('workspace_id', '=', seed.workspaceId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return contact.id
  }
  const call = async () => {
    for (const attempt of await claimCalls(deps, lease, 5)) {
      await finishAttempt(deps, attempt, { ...answered, optedOut: attempt.request.callId % 7 === 0 })
      const key = { workspaceId: seed.workspaceId, callId: attempt.request.callId }
      await Promise.all([finishAnalysis(deps, key, analysis), finishAnalysis(deps, key, undefined)])
    }
  }
  const again = { ...person, callback_url: undefined }
  await seedCall(deps, seed, number, again)
  for (let round = 0; round < 25; round += 1) {
    const id = await current()
    await Promise.all([
      settle(seedCall(deps, seed, number, again)),
      settle(seedCall(deps, seed, number, { ...again, if_already_queued: 'queue' })),
      settle(erase(id)),
      settle(erase(id)),
      settle(addNote(deps, seed.workspaceId, id, { callId: null, text: 'Zelda' })),
      settle(addNumberToDoNotCallList(deps, seed.workspaceId, { phoneNumber: number }, 'Zelda')),
      settle(removeNumberFromDoNotCallList(deps, toCaller(seed), { phoneNumber: number }, 'Zelda')),
      settle(saveContact(deps, seed.workspaceId, { phone_number: number, first_name: 'Zelda' })),
      call(),
      call(),
    ])
  }
  await call()
  // A reason that was given while nobody had the number goes with whoever has it next.
  await saveContact(deps, seed.workspaceId, { phone_number: number })
  const contacts = await deps.db
    .selectFrom('contact')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(contacts.length).toBeGreaterThan(1)
  for (const { id } of contacts) await erase(id)
  expect(await findTraces()).toEqual([])
  const calls = await deps.db
    .selectFrom('call')
    .leftJoin('event', 'event.call_id', 'call.id')
    .select(['call.id', 'call.status', 'event.id as event'])
    .where('call.workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls.filter(({ status, event }) => status !== 'completed' || event === null)).toEqual([])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
})
