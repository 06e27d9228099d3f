import { beforeEach, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { hashRequest, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { addNumbersToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { addNote } from '../../queue/contacts/contact-notes.ts'
import { queueCallback } from '../../queue/contacts/queue-callback.ts'
import { eraseCallbackUrlsOfErasedContacts } from '../../webhooks/erase-events.ts'
import { addContact, getCall, listEvents, seedCall } from '../support/calls.ts'
import type { TestDeps } from '../support/deps.ts'
import { analysis, answered, email, number, person, useErasureWorld } from '../support/erasure.ts'
import { type Seed, seedApiKeyCaller } from '../support/factories.ts'
import { receiveReport } from '../support/receive-report.ts'

const { world, erase, claim, seedConversation, toolCall, findTraces } = useErasureWorld()

const toEntry = (reason: string) => ({ source: 'dashboard', reason }) as const

// Each test has a new workspace.
let deps: TestDeps
let seed: Seed
beforeEach(() => {
  ;({ deps, seed } = world)
})

it("leaves no trace of an erased contact in any table, and publishes each of the contact's calls once", async () => {
  const caller = await seedApiKeyCaller(deps, seed)
  const body = { phone_number: number, campaign_id: seed.campaignId, ...person }
  const request = hashRequest({ caller, method: 'POST', path: '/contacts', key: 'once', body })
  const { body: storedBody } = await respondOnce(deps, seed.workspaceId, request, async (tx) => ({
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
  await addNumbersToDoNotCallList(
    deps,
    seed.workspaceId,
    { phoneNumber: '+12025550174' },
    toEntry('Another one'),
  )
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
  const again = await respondOnce(deps, seed.workspaceId, request, () =>
    Promise.reject(new Error('the request ran twice')),
  )
  expect(again).toMatchObject({ replayed: true, body: { contact: { id: contact.id, phone_number: '' } } })
})

it('erases a callback URL together with the contact or, if a delivery to it is pending, after the delivery ends', async () => {
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

it("keeps an erased contact's number on the do-not-call list, so that a new contact with the number isn't called", async () => {
  const first = await seedCall(deps, seed, number, person)
  await addNumbersToDoNotCallList(
    deps,
    seed.workspaceId,
    { contactId: first.contact.id },
    toEntry('Zelda said so'),
  )
  await erase(first.contact.id)
  expect(await findTraces()).toEqual([])
  const again = await seedCall(deps, seed, number)
  expect(again).toMatchObject({ outcome: 'suppressed', contact: { do_not_call: true } })
  expect(again.contact.id).not.toBe(first.contact.id)
})

it('rejects the erasure of a contact during a call, and changes nothing', async () => {
  const call = await seedCall(deps, seed, number, person)
  const attempt = await claim()
  await expect(erase(call.contact.id)).rejects.toThrow('in progress')
  expect((await getCall(deps, seed, call.id)).contact.first_name).toBe('Zelda')
  await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))
  await erase(call.contact.id)
  expect((await getCall(deps, seed, call.id)).contact.first_name).toBeNull()
})

it("when a contact is erased, publishes the contact's call without its analysis, and ignores or rejects later data", async () => {
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
      callId: conversation.call.id,
      agentId: seed.agentId,
      campaignId: seed.campaignId,
      contactId: conversation.contactId,
      phoneNumber: number,
      test: false,
    },
    { at: '2026-05-05T10:00', dryRun: false },
  )
  await expect(callback).rejects.toThrow('This contact was erased')
  expect(await listEvents(deps, conversation.call.id)).toHaveLength(1)
  expect(await findTraces()).toEqual([])
})
