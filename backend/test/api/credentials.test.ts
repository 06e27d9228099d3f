import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endMembership } from '../../access/remove-member.ts'
import { revokeApiKey } from '../../access/revoke-connection.ts'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { createSender, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const newKey = () =>
  createApiKey(api.deps, { workspaceId: api.seed.workspaceId, userId: api.seed.userId, name: 'Another' })

it('makes a key that is shown once and kept as its hash', async () => {
  const { id, key } = await newKey()
  expect(key).toMatch(/^odk_[\w-]{43}$/)
  expect((await api.send({ path: '/agents/', key })).statusCode).toBe(200)
  const row = await api.deps.db
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(key.slice(8))
  expect(row.prefix).toBe(key.slice(0, 8))
})

it('makes no key for somebody who is no member', async () => {
  const { seed } = await api.seedOtherWorkspace()
  const key = createApiKey(api.deps, { workspaceId: api.seed.workspaceId, userId: seed.userId, name: 'No' })
  await expect(key).rejects.toMatchObject({ code: 'not_found' })
})

it('leaves no key to a member who is removed while it is made', async () => {
  const { seed: member } = await api.seedOtherWorkspace()
  let removing: Promise<void> | undefined
  const { key } = await api.deps.db.transaction().execute(async (db) => {
    const creating = await createApiKey({ ...api.deps, db }, { ...member, name: 'Late' })
    removing = endMembership(api.deps, member)
    await Promise.race([removing, waitForLockWaiters(api.deps.db)])
    return creating
  })
  await removing
  expect((await api.send({ path: '/agents/', key })).statusCode).toBe(401)
})

it('ends a revoked key at once, with its webhook subscriptions', async () => {
  const { id, key } = await newKey()
  const body = { target_url: 'https://example.com/hook', event: 'call.completed' }
  const { id: hook } = (await api.send({ method: 'POST', path: '/webhooks/subscribe', body, key })).json<{
    id: number
  }>()
  await revokeApiKey(api.deps, { workspaceId: api.seed.workspaceId, apiKeyId: id })
  const rejected = await api.send({ path: '/agents/', key })
  expect([rejected.statusCode, rejected.json()]).toMatchObject([
    401,
    { error: { code: 'invalid_credential' } },
  ])
  expect((await api.send({ method: 'DELETE', path: `/webhooks/${hook}/` })).statusCode).toBe(404)
  await expect(
    revokeApiKey(api.deps, { workspaceId: api.seed.workspaceId, apiKeyId: id }),
  ).rejects.toMatchObject({ code: 'not_found' })
})

it('revokes no key of another workspace', async () => {
  const { id, key } = await newKey()
  const { seed } = await api.seedOtherWorkspace()
  await expect(revokeApiKey(api.deps, { workspaceId: seed.workspaceId, apiKeyId: id })).rejects.toMatchObject(
    {
      code: 'not_found',
    },
  )
  expect((await api.send({ path: '/agents/', key })).statusCode).toBe(200)
})

it('notes when a key was last used, once a minute', async () => {
  const { id, key } = await newKey()
  const used = async () => {
    const row = await api.deps.db
      .selectFrom('api_key')
      .select('last_used_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return row.last_used_at?.toISOString()
  }
  const usedAt = async (expected: string) => {
    while ((await used()) !== expected);
  }
  const first = api.deps.clock.now().toISOString()
  await api.send({ path: '/agents/', key })
  await usedAt(first)
  api.deps.clock.advance(59_999)
  await api.send({ path: '/agents/', key })
  expect(await used()).toBe(first)
  api.deps.clock.advance(1)
  await api.send({ path: '/agents/', key })
  await usedAt(api.deps.clock.now().toISOString())
})

it('tells what is left of the quota, and when to come back once it is used up', async () => {
  const config = { ...parseConfig({ SECRET_KEY: 'x'.repeat(32) }), rateLimitPerMinute: 3 }
  const app = await createApp({ ...api.deps, config })
  const send = createSender(app, api.key)
  const remainingQuota = async () => (await send({ path: '/agents/' })).headers.ratelimit

  expect((await send({ path: '/agents/' })).headers['ratelimit-policy']).toBe('"default";q=3;w=60')
  api.deps.clock.advance(17_500)
  expect(await remainingQuota()).toBe('"default";r=1;t=43')
  expect((await send({ method: 'POST', path: '/contacts/', raw: '{' })).headers.ratelimit).toBe(
    '"default";r=0;t=43',
  )
  const rejected = await send({ method: 'POST', path: '/contacts/', raw: '{' })
  expect([rejected.statusCode, rejected.json()]).toMatchObject([
    429,
    { error: { type: 'rate_limited', code: 'rate_limited' } },
  ])
  expect(rejected.headers['retry-after']).toBe('43')

  const { key: other } = await newKey()
  expect((await send({ path: '/agents/', key: other })).statusCode).toBe(200)
  api.deps.clock.advance(42_500)
  expect(await remainingQuota()).toBe('"default";r=2;t=60')
  await app.close()
})

it('stops guessing from one address, and lets its good credentials through', async () => {
  const app = await createApp(api.deps)
  const send = createSender(app, api.key)
  const guess = async () => (await send({ path: '/agents/', key: 'odk_guess' })).statusCode
  const statuses = []
  for (let attempt = 0; attempt < 301; attempt += 1) statuses.push(await guess())
  expect(statuses.slice(-2)).toEqual([401, 429])
  expect((await send({ path: '/agents/' })).statusCode).toBe(200)
  api.deps.clock.advance(60_000)
  expect(await guess()).toBe(401)
  await app.close()
})

it('tells addresses apart behind a proxy that it trusts, and believes no other', async () => {
  const guessesUntilLimited = async (trustedProxies: string, from: string[]) => {
    const config = parseConfig({ SECRET_KEY: 'x'.repeat(32), TRUSTED_PROXIES: trustedProxies })
    const app = await createApp({ ...api.deps, config })
    const send = createSender(app, api.key)
    const guess = async (address: string) => {
      const headers = { 'x-forwarded-for': address }
      return (await send({ path: '/agents/', key: 'odk_guess', headers })).statusCode
    }
    const [first = '', second = ''] = from
    for (let attempt = 0; attempt < 300; attempt += 1) await guess(first)
    const statuses = [await guess(first), await guess(second)]
    await app.close()
    return statuses
  }
  expect(await guessesUntilLimited('loopback', ['192.0.2.1', '192.0.2.2'])).toEqual([429, 401])
  expect(await guessesUntilLimited('192.0.2.9', ['192.0.2.1', '192.0.2.2'])).toEqual([429, 429])
})
