// cspell:ignore schlüssel
import { expect, it } from '@jest/globals'
import { Campaign } from '@outdial/contract'
import { sql } from 'kysely'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const day = 24 * 60 * 60 * 1000

const create = (idempotencyKey: string, values: object = {}, key = api.key) =>
  api.send({
    method: 'POST',
    path: '/campaigns/',
    key,
    body: { name: 'Once', agent_id: api.seed.agentId, phone_number_id: api.seed.phoneNumberId, ...values },
    headers: { 'idempotency-key': idempotencyKey },
  })

const campaigns = async () => {
  const { count } = await api.deps.db
    .selectFrom('campaign')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

it('returns the same response to a repeated request, with or without a trailing slash, and does the work once', async () => {
  const first = await create('lost response')
  const before = await campaigns()
  const again = await api.send({
    method: 'POST',
    path: '/campaigns',
    raw: `{ "phone_number_id": ${api.seed.phoneNumberId}, "agent_id": ${api.seed.agentId}, "name": "Once", "retry": {"on": ""} }`,
    headers: { 'idempotency-key': 'lost response' },
  })
  expect(first.headers['idempotent-replayed']).toBeUndefined()
  expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(again.json()).toEqual(first.json())
  expect(await campaigns()).toBe(before)
})

it('replays a response even if the request would be rejected now', async () => {
  const first = await create('before the pause')
  await api.deps.db
    .updateTable('agent')
    .set({ status: 'paused' })
    .where('id', '=', api.seed.agentId)
    .execute()
  const again = await create('before the pause')
  await api.deps.db.updateTable('agent').set({ status: 'live' }).where('id', '=', api.seed.agentId).execute()
  expect([again.statusCode, again.json()]).toEqual([201, first.json()])
})

it('replays a response that an earlier version of Outdial stored without newer fields', async () => {
  await create('earlier version')
  await api.deps.db
    .updateTable('idempotent_response')
    .set({ body: sql`body - '{agent_variables,url}'::text[]` })
    .execute()
  const again = await create('earlier version')
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(Campaign.parse(again.json())).not.toHaveProperty('url')
})

it('rejects a key that is reused with another body', async () => {
  await create('reused')
  const again = await create('reused', { name: 'Twice' })
  expect([again.statusCode, again.json()]).toMatchObject([422, { error: { code: 'idempotency_key_reused' } }])
})

it("doesn't store an error response", async () => {
  const wrong = await create('second try', { agent_id: 999_999 })
  const right = await create('second try')
  expect([wrong.statusCode, right.statusCode]).toEqual([404, 201])
  expect(right.headers['idempotent-replayed']).toBeUndefined()
})

it('forgets a key after 24 hours', async () => {
  const first = await create('old', { name: 'Old' })
  api.deps.clock.advance(day - 1)
  expect((await create('old', { name: 'Old' })).headers['idempotent-replayed']).toBe('true')
  api.deps.clock.advance(1)
  const fresh = await create('old', { name: 'New' })
  expect(fresh.statusCode).toBe(201)
  expect(fresh.json()).not.toMatchObject({ id: first.json<{ id: number }>().id })
  expect((await create('old', { name: 'New' })).headers['idempotent-replayed']).toBe('true')
})

it('treats a key as new for another connection or another path', async () => {
  const { seed, key } = await api.seedOtherWorkspace()
  await create('shared')
  const otherConnection = await create(
    'shared',
    { agent_id: seed.agentId, phone_number_id: seed.phoneNumberId },
    key,
  )
  expect([otherConnection.statusCode, otherConnection.headers['idempotent-replayed']]).toEqual([
    201,
    undefined,
  ])
  const contact = await api.send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: '+12025550190', campaign_id: api.seed.campaignId },
    headers: { 'idempotency-key': 'shared' },
  })
  expect([contact.statusCode, contact.headers['idempotent-replayed']]).toEqual([201, undefined])
})

it("replays a response after the connection's token was refreshed", async () => {
  const { db } = api.deps
  const { workspaceId: workspace_id, userId: user_id } = api.seed
  const grant_hash = hashToken('grant')
  await db
    .insertInto('oauth_client')
    .values({ id: 'zapier', name: 'Zapier', secret: null, redirect_uris: ['https://zapier.example/'] })
    .execute()
  await db
    .insertInto('oauth_grant')
    .values({ id_hash: grant_hash, workspace_id, user_id, client_id: 'zapier' })
    .execute()
  const token = {
    workspace_id,
    user_id,
    grant_hash,
    client_id: 'zapier',
    scopes: ['campaigns:write' as const],
  }
  await db
    .insertInto('credential')
    .values([
      { ...token, token_hash: hashToken('first') },
      { ...token, token_hash: hashToken('refreshed') },
    ])
    .execute()
  const first = await create('refreshed between', {}, 'first')
  const again = await create('refreshed between', {}, 'refreshed')
  expect([again.json(), again.headers['idempotent-replayed']]).toEqual([first.json(), 'true'])
})

it('does the work once for twenty simultaneous requests with one key', async () => {
  const before = await campaigns()
  const responses = await Promise.all(Array.from({ length: 20 }, () => create('all at once')))
  expect(await campaigns()).toBe(before + 1)
  for (const response of responses) expect([201, 409]).toContain(response.statusCode)
  const created = responses.filter((response) => response.statusCode === 201)
  expect(created.filter((response) => response.headers['idempotent-replayed'] === undefined)).toHaveLength(1)
})

it('replays a response of POST /contacts/ with its original status code, 201 or 200', async () => {
  const post = (idempotencyKey: string) =>
    api.send({
      method: 'POST',
      path: '/contacts/',
      body: { phone_number: '+12025550191', campaign_id: api.seed.campaignId },
      headers: { 'idempotency-key': idempotencyKey },
    })
  const statuses = [await post('a'), await post('a'), await post('b'), await post('b')].map((response) => [
    response.statusCode,
    response.headers['idempotent-replayed'],
  ])
  expect(statuses).toEqual([
    [201, undefined],
    [201, 'true'],
    [200, undefined],
    [200, 'true'],
  ])
})

it.each(['', 'x'.repeat(256), 'schlüssel', 'a\tb'])('rejects the key %j', async (key) => {
  const response = await create(key)
  expect([response.statusCode, response.json()]).toMatchObject([
    422,
    { error: { code: 'validation_failed', details: [{ field: 'Idempotency-Key' }] } },
  ])
})

it('ignores the key on GET requests, even if it is too long', async () => {
  const response = await api.send({ path: '/agents/', headers: { 'idempotency-key': 'x'.repeat(300) } })
  expect(response.statusCode).toBe(200)
})
