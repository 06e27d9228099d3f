import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { ContactAdded, ErrorResponse } from '@outdial/contract'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { disconnectApp, revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { lockContact } from '../../platform/db/locks.ts'
import { cancelCall } from '../../queue/calls/cancel-call.ts'
import { addContact, toCaller } from '../support/calls.ts'
import { freshNumber, seedApiKeyCaller, seedAppCaller, seedUser } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const urlOf = (name: string) => `https://hooks.example.com/${name}`

async function post(values: object, idempotencyKey?: string) {
  const response = await api.send({
    method: 'POST',
    path: '/contacts/',
    body: { campaign_id: api.seed.campaignId, ...values },
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  })
  return response
}

async function queueCall(values: object, idempotencyKey?: string) {
  const response = await post({ scheduled_at: tomorrow(), ...values }, idempotencyKey)
  expect(response.statusCode).toBeLessThan(300)
  return { ...ContactAdded.parse(response.json()), headers: response.headers }
}

const tomorrow = () => new Date(api.deps.clock.now().getTime() + 86_400 * secondMs).toISOString()

const cancel = (callId: number) => cancelCall(api.deps, toCaller(api.seed), callId)

const listDeliveries = (callId: number) =>
  api.deps.db
    .selectFrom('webhook_delivery as d')
    .innerJoin('event as e', 'e.id', 'd.event_id')
    .select(['d.target_url', 'd.status', 'd.next_attempt_at', 'd.finished_at'])
    .where('e.call_id', '=', callId)
    .orderBy('d.id')
    .execute()

const listTargets = async (callId: number) => (await listDeliveries(callId)).map((row) => row.target_url)

it("sends a call's event to the callback URL of each request that returned the call", async () => {
  const phone_number = freshNumber()
  const { call } = await queueCall({ phone_number, callback_url: urlOf('first') })
  const skipped = await queueCall({ phone_number, callback_url: urlOf('second') })
  expect(skipped).toMatchObject({ call_queued: false, call: { id: call.id } })
  await queueCall({ phone_number, callback_url: urlOf('second') })
  await cancel(call.id)
  expect(await listTargets(call.id)).toEqual([urlOf('first'), urlOf('second')])
})

it('adds a new callback URL even from a request that repeats the idempotency key of an earlier one', async () => {
  const key = randomUUID()
  const values = { phone_number: freshNumber(), scheduled_at: tomorrow() }
  const { call } = await queueCall({ ...values, callback_url: urlOf('before') }, key)
  const replayed = await queueCall({ ...values, callback_url: urlOf('after') }, key)
  expect(replayed.headers['idempotent-replayed']).toBe('true')
  expect(replayed.call.id).toBe(call.id)
  await cancel(call.id)
  expect(await listTargets(call.id)).toEqual([urlOf('before'), urlOf('after')])
})

it('accepts five callback URLs per call, and rejects a sixth', async () => {
  const phone_number = freshNumber()
  for (let number = 1; number <= 5; number += 1) {
    await queueCall({ phone_number, callback_url: urlOf(`number-${number}`) })
  }
  await queueCall({ phone_number, callback_url: urlOf('number-5') })
  const sixth = await post({ phone_number, callback_url: urlOf('number-6') })
  expect(sixth.statusCode).toBe(422)
  expect(ErrorResponse.parse(sixth.json()).error.details).toMatchObject([
    { field: 'callback_url', code: 'too_many_callback_urls' },
  ])
})

it('accepts only five callback URLs per call, even if ten are added at the same time', async () => {
  const phone_number = freshNumber()
  await queueCall({ phone_number })
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, number) => post({ phone_number, callback_url: urlOf(`race-${number}`) })),
  )
  const statuses = responses.map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  expect(statuses.filter((status) => status === 422)).toHaveLength(5)
})

it('rejects a sixth callback URL even from a request that repeats the idempotency key of earlier ones', async () => {
  const key = randomUUID()
  const values = { phone_number: freshNumber(), scheduled_at: tomorrow() }
  for (let number = 1; number <= 5; number += 1) {
    await queueCall({ ...values, callback_url: urlOf(`replay-${number}`) }, key)
  }
  expect((await post({ ...values, callback_url: urlOf('replay-6') }, key)).statusCode).toBe(422)
})

it('ignores another spelling of a callback URL that the call already has', async () => {
  const phone_number = freshNumber()
  const { call } = await queueCall({ phone_number, callback_url: urlOf('same') })
  await queueCall({ phone_number, callback_url: 'HTTPS://Hooks.Example.com:443/same#part' })
  await cancel(call.id)
  expect(await listTargets(call.id)).toEqual([urlOf('same')])
})

it('even if a request has to wait for a lock, sends the event at least five seconds after the response', async () => {
  const phone_number = freshNumber()
  const { contact } = await queueCall({ phone_number })
  const [posting] = await api.deps.db.transaction().execute(async (db) => {
    await lockContact(db, api.seed.workspaceId, contact.id)
    const waiting = queueCall({ phone_number, do_not_call: true, callback_url: urlOf('waited') })
    await waitForLockWaiters(api.deps.db)
    api.deps.clock.advance(30 * secondMs)
    // In an array, so that the promise isn't awaited: it waits for this transaction.
    return [waiting] as const
  })
  const { call } = await posting
  const respondedAt = api.deps.clock.now().getTime()
  const [delivery] = await listDeliveries(call.id)
  expect(delivery?.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(respondedAt + 5 * secondMs)
})

it('even if a request itself completes the call, sends the event to its callback URL at least five seconds later', async () => {
  const phone_number = freshNumber()
  const startedAt = api.deps.clock.now().getTime()
  // The number gets on the do-not-call list, so the call is completed before the response.
  const { call } = await queueCall({ phone_number, do_not_call: true, callback_url: urlOf('early') })
  expect(call.outcome).toBe('suppressed')
  const [delivery] = await listDeliveries(call.id)
  expect(delivery?.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(startedAt + 5 * secondMs)
})

it('sends the event of a completed call once to a callback URL that is added later', async () => {
  const key = randomUUID()
  const values = { phone_number: freshNumber(), scheduled_at: tomorrow() }
  const { call } = await queueCall(values, key)
  await cancel(call.id)
  expect(await listTargets(call.id)).toEqual([])
  await queueCall({ ...values, callback_url: urlOf('late') }, key)
  await queueCall({ ...values, callback_url: urlOf('late') }, key)
  expect(await listTargets(call.id)).toEqual([urlOf('late')])
  const [delivery] = await listDeliveries(call.id)
  const earliest = api.deps.clock.now().getTime() + 5 * secondMs
  expect(delivery?.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(earliest)
})

const withScopes = (caller: Caller): Caller => ({
  ...caller,
  scopes: ['contacts:write', 'calls:read', 'webhooks:write'],
})

it.each<[string, () => Promise<{ caller: Caller; end: () => Promise<unknown> }>]>([
  [
    'the API key is revoked',
    async () => {
      const caller = await seedApiKeyCaller(api.deps, api.seed)
      return { caller, end: () => revokeApiKey(api.deps, caller.workspaceId, caller.apiKeyId) }
    },
  ],
  [
    'the app is disconnected',
    async () => {
      const caller = await seedAppCaller(api.deps, api.seed, randomUUID())
      const end = () => disconnectApp(api.deps, caller.workspaceId, caller.userId, caller.clientId)
      return { caller, end }
    },
  ],
  [
    'the member is removed',
    async () => {
      const { userId } = await seedUser(api.deps)
      await api.deps.db
        .insertInto('membership')
        .values({ workspace_id: api.seed.workspaceId, user_id: userId, role: 'member' })
        .execute()
      const caller = await seedAppCaller(api.deps, { ...api.seed, userId }, randomUUID())
      return { caller, end: () => removeMember(api.deps, caller.workspaceId, userId) }
    },
  ],
])('sends nothing to the callback URLs of a connection after %s', async (_, connect) => {
  const { caller, end } = await connect()
  const add = (at: string | undefined, doNotCall: boolean) =>
    addContact(api.deps, withScopes(caller), {
      phone_number: freshNumber(),
      campaign_id: api.seed.campaignId,
      scheduled_at: at,
      do_not_call: doNotCall,
      callback_url: urlOf(randomUUID()),
    })
  const waiting = await add(tomorrow(), false)
  const suppressed = await add(undefined, true)
  expect(await listDeliveries(suppressed.call.id)).toMatchObject([{ status: 'pending' }])

  await end()

  expect(await listDeliveries(suppressed.call.id)).toMatchObject([
    { status: 'canceled', next_attempt_at: null, finished_at: api.deps.clock.now() },
  ])
  await cancel(waiting.call.id)
  expect(await listDeliveries(waiting.call.id)).toEqual([])
})
