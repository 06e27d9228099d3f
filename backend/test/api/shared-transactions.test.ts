import { expect, it } from '@jest/globals'
import type { ContactAdded } from '@outdial/contract'
import { sql } from 'kysely'
import { dialCall } from '../support/calls.ts'
import { asSuperuser } from '../support/database.ts'
import { everyHour, freshNumber, seedAgent, seedCampaign } from '../support/factories.ts'
import { lockQueue, waitForLockWaiters } from '../support/locks.ts'
import { useObservedApi } from '../support/observed-api.ts'
import { parseError } from '../support/test-api.ts'

// Concurrent `POST /contacts/` requests of a workspace share a transaction. Each must have the same result as a request that
// runs alone.

const world = useObservedApi()
const { api, post, add, observe } = world

it('handles all requests that arrive during a transaction together in the next transaction, each with its own result', async () => {
  await add({})
  const archived = await seedCampaign(api.deps, api.seed)
  await api.deps.db.updateTable('campaign').set({ status: 'archived' }).where('id', '=', archived).execute()
  const known = await add({ first_name: 'Known', variables: { old: 'yes' } })
  const listed = freshNumber()
  await add({ phone_number: listed, do_not_call: true })
  const locked = await seedCampaign(api.deps, api.seed)
  await add({ campaign_id: locked })
  let pending: ReturnType<typeof post>[] = []
  const sent = await observe(async () => {
    const first = await lockQueue(api.deps.db, locked, async () => {
      const waiting = post({ campaign_id: locked })
      await waitForLockWaiters(api.deps.db)
      pending = [
        post({ campaign_id: 987654 }),
        post({ campaign_id: archived }),
        post({ phone_number: known.contact.phone_number, variables: { new: 'yes' } }),
        post({ phone_number: listed }),
        post({ time_zone: 'Europe/Paris' }),
        post({ test: true }),
        ...Array.from({ length: 40 }, (_, index) => post({ first_name: `Lead ${index}` })),
      ]
      pending.push(post({ phone_number: 'nonsense' }))
      // After this invalid request has been rejected, the requests sent before it wait for the first request's transaction.
      await post({ phone_number: 0 })
      return { waiting }
    })
    await Promise.all([first.waiting, ...pending])
  })
  const responses = await Promise.all(pending)
  const invalid = responses.pop()
  const [unknown, isArchived, existing, suppressed, inParis, test, ...others] = responses
  expect(unknown && parseError(unknown)).toMatchObject({ status: 404, details: [{ field: 'campaign_id' }] })
  expect(isArchived && parseError(isArchived).details).toMatchObject([{ code: 'campaign_archived' }])
  expect([existing?.statusCode, existing?.json()]).toMatchObject([
    200,
    { call_queued: false, contact: { first_name: 'Known', variables: { old: 'yes', new: 'yes' } } },
  ])
  expect(suppressed?.json()).toMatchObject({ call: { status: 'completed', outcome: 'suppressed' } })
  expect(inParis?.json()).toMatchObject({ contact: { time_zone: 'Europe/Paris' } })
  expect(test?.json()).toMatchObject({ call: { test: true } })
  expect(invalid && parseError(invalid).details).toMatchObject([{ field: 'phone_number' }])
  expect(
    others.map((response) => [response.statusCode, response.json<ContactAdded>().contact.first_name]),
  ).toEqual(others.map((_, index) => [201, `Lead ${index}`]))
  expect(sent.filter((text) => text.includes('upsert_contacts'))).toHaveLength(2)
})

it('returns the same call from POST /contacts/ as from GET /calls/, whatever the call waits for', async () => {
  const { deps, seed } = api
  const all = {
    metadata: { lead: '7' },
    first_name: 'Zoë "Z"',
    variables: { product: 'roof' },
    time_zone: 'America/Denver',
    consent: { source: 'Form', at: '2026-05-01T12:00:00.000Z' },
  }
  const seedStopped = async (status: 'paused' | 'active', values: object = {}) => {
    const campaignId = await seedCampaign(deps, { ...seed, ...values })
    await deps.db.updateTable('campaign').set({ status }).where('id', '=', campaignId).execute()
    return campaignId
  }
  const campaign_id = await seedCampaign(deps, { ...seed, maxConcurrentCalls: 50 })
  const [busy, listed, known] = [freshNumber(), freshNumber(), freshNumber()]
  const dialing = await add({ phone_number: busy, campaign_id })
  await dialCall(deps, seed, dialing.call.id)
  await add({ phone_number: known, campaign_id, ...all })
  await world.send({ method: 'POST', path: '/do-not-call/', body: { phone_number: listed } })
  const agentId = await seedAgent(deps, seed.workspaceId, { status: 'paused' })
  const laterDay = everyHour.days[(deps.clock.now().getUTCDay() + 2) % 7] ?? 'mon'
  const closed = { ...everyHour, days: [laterDay] }
  const responses = await Promise.all([
    post({ campaign_id }),
    post({ campaign_id, ...all }),
    post({ campaign_id, phone_number: known }),
    post({ campaign_id, phone_number: listed, ...all }),
    post({ campaign_id, phone_number: busy, if_already_queued: 'queue' }),
    post({ campaign_id, test: true }),
    post({ campaign_id, scheduled_at: new Date(deps.clock.now().getTime() + 3_600_000).toISOString() }),
    post({ campaign_id: await seedStopped('paused') }),
    post({ campaign_id: await seedStopped('active', { agentId }) }),
    post({ campaign_id: await seedStopped('active', { callingHours: closed }), ...all }),
  ])
  const added = responses.map((response) => response.json<ContactAdded>())
  const read = await Promise.all(added.map(({ call }) => world.send({ path: `/calls/${call.id}/` })))
  expect(added.map(({ call }) => call)).toEqual(read.map((response) => response.json<unknown>()))
  expect(added.map(({ call }) => call.waiting_for ?? call.outcome)).toEqual([
    ...[null, null, null, 'suppressed', 'concurrency', null, 'schedule'],
    ...['campaign_paused', 'agent_not_live', 'calling_hours'],
  ])
})

it('rejects a request with an expired API key as expired, even if the request is also invalid for another reason', async () => {
  const { key } = await api.seedOtherWorkspace()
  const body = { phone_number: freshNumber(), campaign_id: 987654 }
  expect((await post(body, { key })).statusCode).toBe(404)
  await api.restrictKey(key, { expiresAt: new Date(api.deps.clock.now().getTime() - 1) })
  for (const values of [
    body,
    { phone_number: 'nonsense' },
    { phone_number: freshNumber(), callback_url: 'x' },
  ]) {
    expect(parseError(await post(values, { key })).code).toBe('expired_credential')
  }
  expect((await world.send({ method: 'POST', path: '/contacts/', raw: '{', key })).statusCode).toBe(401)
})

it('if another transaction has locked a contact, delays only the request with that contact', async () => {
  const { contact } = await add({})
  let locked: ReturnType<typeof post> | undefined
  await api.deps.db.transaction().execute(async (db) => {
    await db.selectFrom('contact').select('id').where('id', '=', contact.id).forUpdate().execute()
    locked = post({ phone_number: contact.phone_number, if_already_queued: 'queue' })
    const neighbors = await Promise.all(Array.from({ length: 5 }, () => post({})))
    expect(neighbors.map((response) => response.statusCode)).toEqual([201, 201, 201, 201, 201])
    await waitForLockWaiters(api.deps.db)
  })
  expect((await locked)?.statusCode).toBe(201)
})

it.each([
  { problem: 'rejects', code: 'raise_exception', status: 500 },
  { problem: 'takes too long for', code: 'query_canceled', status: 503 },
])(
  'if PostgreSQL $problem one request in a transaction, still completes the others',
  async ({ code, status }) => {
    const rejected = freshNumber()
    await asSuperuser(api.deps.db, async (db) => {
      await sql`
      create function reject_number() returns trigger language plpgsql as $$
      begin
        if new.phone_number = ${sql.lit(rejected)} then raise exception 'rejected' using errcode = ${sql.lit(code)}; end if;
        return new;
      end $$`.execute(db)
      await sql`create trigger reject before insert on contact for each row execute function reject_number()`.execute(
        db,
      )
    })
    const responses = await Promise.all([
      post({}),
      post({}),
      post({}),
      post({ phone_number: rejected }),
      post({}),
    ])
    expect(responses.map((response) => response.statusCode)).toEqual([201, 201, 201, status, 201])
    await asSuperuser(api.deps.db, (db) => sql`drop function reject_number cascade`.execute(db))
  },
)

it('returns the stored response for an idempotency key, even if the request shares a transaction with others', async () => {
  const body = { phone_number: freshNumber(), first_name: 'Maya', metadata: { lead: '7' } }
  const headers = { 'idempotency-key': 'together' }
  const first = await post(body, { headers })
  const [again, other, reused] = await Promise.all([
    post(body, { headers }),
    post({}),
    post({ ...body, first_name: 'Mia' }, { headers: { 'idempotency-key': 'together' } }),
  ])
  expect([again.statusCode, again.headers['idempotent-replayed'], again.json()]).toEqual([
    201,
    'true',
    first.json(),
  ])
  expect(other.statusCode).toBe(201)
  expect(parseError(reused).code).toBe('idempotency_key_reused')
})

it('uses only two database statements for a GET request, but still rejects an expired API key', async () => {
  const { key } = await api.seedOtherWorkspace()
  const read = () => world.send({ path: '/agents/', key })
  expect((await read()).statusCode).toBe(200)
  const sent = await observe(read)
  expect(sent).toHaveLength(2)
  expect(sent.join()).toContain('from "credential"')
  await api.restrictKey(key, { expiresAt: new Date(api.deps.clock.now().getTime() - 1) })
  expect(parseError(await read()).code).toBe('expired_credential')
  expect(parseError(await world.send({ path: '/calls/987654/', key })).code).toBe('expired_credential')
})
