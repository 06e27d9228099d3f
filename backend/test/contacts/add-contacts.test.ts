import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { ContactAdded } from '@outdial/contract'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createApp } from '../../app.ts'
import type { Db } from '../../platform/db/schema.ts'
import { archiveCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { callContact } from '../../queue/contacts/call-contact.ts'
import { getCall, toCaller } from '../support/calls.ts'
import { everyHour, freshNumber, seedCampaign } from '../support/factories.ts'
import { dumpRows } from '../support/foreign-objects.ts'
import { lockQueue, waitForLockWaiters } from '../support/locks.ts'
import { createRewritingDatabase } from '../support/rewriting-database.ts'
import { type ApiRequest, createSender, parseError, useApiWorld } from '../support/test-api.ts'
import { waitFor } from '../support/wait.ts'

// These tests change data between the statements of the transaction that adds contacts and calls, and check what the
// transaction then saves.

/** If set, transactions of `slow` wait for the advisory lock 0 before this statement. */
let pauseBefore: 'begin' | 'commit' | null = null
let slow: { db: Db; app: FastifyInstance; send: ReturnType<typeof createSender> }
// This hook must run before the database's hook. Jest runs these hooks in registration order.
afterAll(async () => {
  await slow.app.close()
  await slow.db.destroy()
})
const api = useApiWorld()
beforeAll(async () => {
  const wait = 'select pg_advisory_xact_lock(0)'
  const db = createRewritingDatabase(api.url, (text) => {
    if (text !== pauseBefore) return text
    return text === 'begin' ? `begin; ${wait}` : `${wait}; commit`
  })
  const app = await createApp({ ...api.deps, db })
  slow = { db, app, send: createSender(app, api.key) }
})

const sendToFast = (request: ApiRequest) => api.send(request)

const post = (values: object, { send = sendToFast, key = api.key, headers = {} } = {}) =>
  send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: freshNumber(), campaign_id: api.seed.campaignId, ...values },
    headers,
    key,
  })

/**
 * Sends a request, and does `work` while the request's transaction waits before the given statement. Returns both results. If
 * `work` waits for a lock of this transaction, the transaction continues.
 */
async function postDuring<Result>(
  statement: 'begin' | 'commit',
  request: () => ReturnType<typeof post>,
  work: () => Promise<Result>,
) {
  pauseBefore = statement
  const started = await api.deps.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(0)`.execute(tx)
    const response = request()
    await waitForLockWaiters(api.deps.db)
    pauseBefore = null
    let isDone = false
    const result = work().finally(() => (isDone = true))
    await waitFor(async () => isDone || (await countLockWaiters()) === 2)
    return { response, result }
  })
  return { response: await started.response, result: await started.result }
}

const countLockWaiters = async () => (await waitForLockWaiters(api.deps.db, 0)).length

const seedKey = () => createApiKey(api.deps, api.seed.workspaceId, api.seed.userId, 'Short-lived')

const countContacts = async (phoneNumber: string) =>
  (await api.deps.db.selectFrom('contact').select('id').where('phone_number', '=', phoneNumber).execute())
    .length

it("if an API key is revoked after it's looked up but before the transaction, rejects the request and saves no contact", async () => {
  const phone_number = freshNumber()
  for (const values of [{ phone_number }, { phone_number, callback_url: 'https://hooks.example.com/x' }]) {
    const { id, key } = await seedKey()
    const { response } = await postDuring(
      'begin',
      () => post(values, { send: slow.send, key }),
      () => revokeApiKey(api.deps, api.seed.workspaceId, id),
    )
    expect(parseError(response)).toMatchObject({ status: 401, code: 'invalid_credential' })
    expect(await countContacts(phone_number)).toBe(0)
  }
})

it("if an API key is revoked after the transaction has checked it, saves the contact, but rejects the key's next request", async () => {
  const { id, key } = await seedKey()
  const phone_number = freshNumber()
  const { response } = await postDuring(
    'commit',
    () => post({ phone_number }, { send: slow.send, key }),
    () => revokeApiKey(api.deps, api.seed.workspaceId, id),
  )
  expect(response.statusCode).toBe(201)
  expect(await countContacts(phone_number)).toBe(1)
  expect((await post({ phone_number }, { key })).statusCode).toBe(401)
})

const sundays = { days: ['sun' as const], start: '10:00', end: '11:00' }

it.each(['begin', 'commit'] as const)(
  "if a campaign's calling hours change while a request's transaction waits at %s, schedules the call within the new hours",
  async (statement) => {
    const campaign_id = await seedCampaign(api.deps, api.seed)
    const { response } = await postDuring(
      statement,
      () => post({ campaign_id, time_zone: 'UTC' }, { send: slow.send }),
      () => editCampaign(api.deps, api.seed.workspaceId, campaign_id, { callingHours: sundays }),
    )
    const { call } = ContactAdded.parse(response.json())
    const { next_attempt_at, waiting_for } = await getCall(api.deps, api.seed, call.id)
    expect({ next_attempt_at, waiting_for }).toEqual({
      next_attempt_at: '2026-05-10T10:00:00.000Z',
      waiting_for: 'calling_hours',
    })
  },
)

it('if another transaction is changing the calling hours, waits for it and schedules the call within the new hours', async () => {
  const campaign_id = await seedCampaign(api.deps, api.seed)
  const { pending } = await api.deps.db.transaction().execute(async (db) => {
    const edit = { callingHours: sundays }
    await editCampaign({ ...api.deps, db }, api.seed.workspaceId, campaign_id, edit)
    const sent = post({ campaign_id, time_zone: 'UTC' })
    await waitForLockWaiters(api.deps.db)
    return { pending: sent }
  })
  const { call } = ContactAdded.parse((await pending).json())
  expect(call).toMatchObject({ waiting_for: 'calling_hours', next_attempt_at: '2026-05-10T10:00:00.000Z' })
})

const manyVariables = (prefix: string) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${prefix}${index}`, 'x']))

/** Creates requests that are rejected, each for a different reason. */
async function seedRejectedRequests() {
  const archived = await seedCampaign(api.deps, api.seed)
  await archiveCampaign(api.deps, api.seed.workspaceId, archived)
  const full = freshNumber()
  await post({ phone_number: full, variables: manyVariables('a') })
  const reused = { 'idempotency-key': freshNumber() }
  await post({}, { headers: reused })
  const { key } = await seedKey()
  await api.restrictKey(key, { expiresAt: api.deps.clock.now() })
  const inTwoYears = new Date(api.deps.clock.now().getTime() + 800 * 24 * 3_600_000).toISOString()
  return [
    { values: { campaign_id: 987654 }, status: 404 },
    { values: { campaign_id: archived, first_name: 'Ann' }, status: 422 },
    { values: { phone_number: full, first_name: 'Ann', variables: manyVariables('b') }, status: 422 },
    { values: { phone_number: '12' }, status: 422 },
    { values: { scheduled_at: inTwoYears }, status: 422 },
    { values: { consent: { source: 'form', at: inTwoYears } }, status: 422 },
    { values: { callback_url: 'http://10.0.0.1/' }, status: 422 },
    { values: { first_name: 'Ann' }, headers: reused, status: 422 },
    { values: { first_name: 'Ann' }, key, status: 401 },
  ]
}

it('a rejected request changes no table', async () => {
  for (const { values, status, ...options } of await seedRejectedRequests()) {
    const before = await dumpRows(api.deps)
    expect([values, (await post(values, options)).statusCode]).toEqual([values, status])
    expect(await dumpRows(api.deps)).toEqual(before)
  }
})

it('rejected requests change nothing, even if they arrive together with accepted ones', async () => {
  const rejected = await seedRejectedRequests()
  const locked = await seedCampaign(api.deps, api.seed)
  await post({ campaign_id: locked })
  const tables = ['contact', 'contact_change', 'do_not_call', 'call_callback', 'idempotent_response']
  const readRows = async () => {
    const rows = await dumpRows(api.deps)
    return Object.fromEntries(tables.map((table) => [table, rows[table]]))
  }
  const before = await readRows()
  const accepted = [freshNumber(), freshNumber()]
  const { first, responses } = await lockQueue(api.deps.db, locked, async () => {
    const waiting = post({ campaign_id: locked, phone_number: accepted[0], first_name: 'Bo' })
    await waitForLockWaiters(api.deps.db)
    const others = rejected.map(({ values, ...options }) => post(values, options))
    const last = post({ phone_number: accepted[1], first_name: 'Bo' })
    return { first: waiting, responses: [...others, last] }
  })
  const statuses = (await Promise.all([first, ...responses])).map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([201, ...rejected.map(({ status }) => status), 201])
  const contacts = await api.deps.db
    .selectFrom('contact')
    .select('id')
    .where('phone_number', 'in', accepted)
    .execute()
  expect(contacts).toHaveLength(2)
  const idsOfAccepted = contacts.map(({ id }) => new RegExp(`"(contact_)?id": ${id}\\b`))
  const rows = Object.entries(await readRows()).map(([table, found = []]) => [
    table,
    found.filter((row) => !idsOfAccepted.some((id) => id.test(row))),
  ])
  expect(Object.fromEntries(rows)).toEqual(before)
})

it('when a member tries to queue a call to a number on the do-not-call list, rejects the call and changes nothing', async () => {
  const caller = toCaller(api.seed)
  const listed = { phone_number: freshNumber(), do_not_call: true }
  const { contact } = await addContact(api.deps, caller, listed)
  const request = { campaignId: api.seed.campaignId, at: null, test: false }
  const before = await dumpRows(api.deps)
  await expect(callContact(api.deps, caller, contact.id, request)).rejects.toMatchObject({
    code: 'validation_failed',
  })
  await expect(callContact(api.deps, caller, 987654, request)).rejects.toMatchObject({ code: 'not_found' })
  expect(await dumpRows(api.deps)).toEqual(before)
})

it('a repeated request with the same idempotency key gets the stored response, even if it would be rejected now', async () => {
  const campaign_id = await seedCampaign(api.deps, api.seed)
  const tomorrow = new Date(api.deps.clock.now().getTime() + 24 * 3_600_000).toISOString()
  const values = { campaign_id, phone_number: freshNumber(), scheduled_at: tomorrow }
  const headers = { 'idempotency-key': freshNumber() }
  const first = await post(values, { headers })
  await archiveCampaign(api.deps, api.seed.workspaceId, campaign_id)
  const again = await post(values, { headers })
  expect([again.statusCode, again.headers['idempotent-replayed'], again.json()]).toEqual([
    201,
    'true',
    first.json(),
  ])
})

it("when a request changes a contact's time zone, reschedules the waiting call, even if another request arrives at the same time", async () => {
  const campaign_id = await seedCampaign(api.deps, { ...api.seed, name: 'Mornings' })
  const hours = { ...everyHour, start: '09:00', end: '10:00' }
  await editCampaign(api.deps, api.seed.workspaceId, campaign_id, { callingHours: hours })
  const moved = freshNumber()
  const first = ContactAdded.parse((await post({ phone_number: moved, campaign_id })).json())
  const responses = await Promise.all([
    post({ phone_number: moved, campaign_id, time_zone: 'Asia/Tokyo' }),
    post({ campaign_id, time_zone: 'Asia/Tokyo' }),
  ])
  const [tokyo, other] = responses.map((response) => ContactAdded.parse(response.json()))
  expect(tokyo).toMatchObject({ call_queued: false, call: { id: first.call.id } })
  expect(tokyo?.call.next_attempt_at).toBe(other?.call.next_attempt_at)
  expect(tokyo?.call.next_attempt_at).not.toBe(first.call.next_attempt_at)
})
