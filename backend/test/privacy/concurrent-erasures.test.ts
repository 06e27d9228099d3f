import { beforeEach, expect, it } from '@jest/globals'
import { Weekday } from '@outdial/contract'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { lockContact } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { cancelCall, cancelCallsToContact } from '../../queue/calls/cancel-call.ts'
import { addNumbersToDoNotCallList, removeNumberFromDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { recordToolCall } from '../../queue/calls/record-tool-call.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { addNote } from '../../queue/contacts/contact-notes.ts'
import { advanceUntil, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import type { TestDeps } from '../support/deps.ts'
import { analysis, answered, email, number, person, useErasureWorld } from '../support/erasure.ts'
import { type Seed, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { receiveReport } from '../support/receive-report.ts'

const { world, claim, erase, seedConversation, toolCall, findTraces } = useErasureWorld()

// Each test has a new workspace.
let deps: TestDeps
let seed: Seed
beforeEach(() => {
  ;({ deps, seed } = world)
})

/** Erases a contact in a transaction that commits only when the operations that `start` begins wait for its locks. */
async function runDuringErasure(contactId: number, start: () => Promise<unknown>[]) {
  const release = Promise.withResolvers<void>()
  const erased = Promise.withResolvers<void>()
  const erasing = deps.db.transaction().execute(async (db) => {
    await eraseContact({ ...deps, db }, seed.workspaceId, contactId)
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

it('erases a contact once when two requests arrive at the same time, and rejects a request from another workspace', async () => {
  const call = await seedCall(deps, seed, number, person)
  const other = await seedWorkspace(deps)
  const theirs = eraseContact(deps, other.workspaceId, call.contact.id)
  await expect(theirs).rejects.toThrow('no contact')
  await Promise.all([erase(call.contact.id), erase(call.contact.id)])
  expect(await listEvents(deps, call.id)).toHaveLength(1)
})

it("while a contact is being erased, stores none of the contact's data that still arrives", async () => {
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

it("erases mentions of the contact in other contacts' tool calls, even in tool calls recorded while the erasure waits", async () => {
  const other = await seedCall(deps, seed, '+12025550174')
  const attempt = await claim()
  const { contact } = await seedCall(deps, seed, number, person)
  const mention = () =>
    toolCall({ call: other, contactId: other.contact.id, attempt }, `a friend of ${number}`)
  await mention()

  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const locking = deps.db.transaction().execute(async (db) => {
    await lockContact(db, seed.workspaceId, contact.id)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const erasing = erase(contact.id)
  await waitForLockWaiters(deps.db)
  await mention()
  release.resolve()
  await Promise.all([locking, erasing])
  expect(await findTraces()).toEqual([])
})

it('deletes a chat in which a tool call mentions the contact, even if the tool call is recorded while the erasure waits', async () => {
  const { contact } = await seedCall(deps, seed, number, person)
  const chat = await seedChatWithToken(deps, seed)
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const locking = deps.db.transaction().execute(async (db) => {
    await lockContact(db, seed.workspaceId, contact.id)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const erasing = erase(contact.id)
  await waitForLockWaiters(deps.db)
  await recordToolCall(deps, seed.workspaceId, {
    of: { conversationId: chat.id },
    toolName: 'contact_note',
    args: { text: `a friend of ${number}` },
    result: { text: `Chat: nothing was changed. ${email}`, isError: false },
    dryRun: true,
    startedAt: deps.clock.now(),
    durationMs: 5,
  })
  release.resolve()
  await Promise.all([locking, erasing])
  expect(await findTraces()).toEqual([])
})

it('creates a new contact if the same number is added while the old one is being erased', async () => {
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

it("rejects the erasure if the dialer has already claimed the contact's call, and otherwise cancels the call", async () => {
  for (let round = 0; round < 10; round += 1) {
    const call = await seedCall(deps, seed, number, { ...person, callback_url: undefined })
    const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
    const [erased, claimed] = await Promise.allSettled([
      erase(call.contact.id),
      claimAndSettle(deps, lease, 1),
    ])
    const attempts = claimed.status === 'fulfilled' ? claimed.value : []
    expect(attempts).toHaveLength(erased.status === 'fulfilled' ? 0 : 1)
    for (const attempt of attempts) await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))
    await erase(call.contact.id)
    await advanceUntil(deps, seed, call.id, ({ status }) => status === 'completed')
    expect(await listEvents(deps, call.id)).toHaveLength(1)
  }
  expect(await findTraces()).toEqual([])
})

it('erases everything about a contact even while the contact is called and edited, and the campaign is edited', async () => {
  const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
  const settle = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      // A rejection is fine, but a deadlock or a violated constraint isn't.
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
    for (const attempt of await claimAndSettle(deps, lease, 5)) {
      await finishAttempt(deps, attempt, { ...answered, optedOut: attempt.request.callId % 7 === 0 })
      const key = { workspaceId: seed.workspaceId, callId: attempt.request.callId }
      await Promise.all([finishAnalysis(deps, key, analysis), finishAnalysis(deps, key, undefined)])
    }
  }
  // Edits the campaign as the dashboard does, in one transaction.
  const editHours = (round: number) =>
    inTransaction(deps, (tx) => {
      const start = `0${round % 5}:00`
      return editCampaign(tx, seed.workspaceId, seed.campaignId, {
        callingHours: { days: [...Weekday.options], start, end: '24:00' },
      })
    })
  const again = { ...person, callback_url: undefined }
  let newest = await seedCall(deps, seed, number, again)
  const entry = { source: 'dashboard', reason: 'Zelda' } as const
  for (let round = 0; round < 25; round += 1) {
    const id = await current()
    await Promise.all([
      settle(seedCall(deps, seed, number, again).then((queued) => void (newest = queued))),
      settle(seedCall(deps, seed, number, { ...again, if_already_queued: 'queue' })),
      settle(erase(id)),
      settle(erase(id)),
      settle(cancelCall(deps, toCaller(seed), newest.id)),
      settle(cancelCallsToContact(deps, toCaller(seed), { phone_number: number })),
      settle(editHours(round)),
      settle(addNote(deps, seed.workspaceId, id, { callId: null, text: 'Zelda' })),
      settle(addNumbersToDoNotCallList(deps, seed.workspaceId, { phoneNumber: number }, entry)),
      settle(addNumbersToDoNotCallList(deps, seed.workspaceId, { contactId: id }, entry)),
      settle(removeNumberFromDoNotCallList(deps, toCaller(seed), { phoneNumber: number }, 'Zelda')),
      settle(addContact(deps, toCaller(seed), { phone_number: number, first_name: 'Zelda' })),
      call(),
      call(),
    ])
  }
  await call()
  // Adds a contact with the number again. Erasing this contact also erases a reason that was given while no contact had the
  // number.
  await addContact(deps, toCaller(seed), { phone_number: number })
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
