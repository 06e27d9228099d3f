import { expect, it } from '@jest/globals'
import { endMembership } from '../../accounts/access/remove-member.ts'
import { revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const newKey = () => createApiKey(api.deps, api.seed.workspaceId, api.seed.userId, 'Another')

it('creates an API key that is shown once and stored as a hash', async () => {
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

it("doesn't create an API key for a user who isn't a member", async () => {
  const { seed } = await api.seedOtherWorkspace()
  const key = createApiKey(api.deps, api.seed.workspaceId, seed.userId, 'No')
  await expect(key).rejects.toMatchObject({ code: 'not_found' })
})

it('revokes a key that is created while the member who owns it is being removed', async () => {
  const { workspaceId, userId } = (await api.seedOtherWorkspace()).seed
  let removing: Promise<void> | undefined
  const { key } = await api.deps.db.transaction().execute(async (db) => {
    const creating = await createApiKey({ ...api.deps, db }, workspaceId, userId, 'Late')
    removing = endMembership(api.deps, workspaceId, userId)
    await Promise.race([removing, waitForLockWaiters(api.deps.db)])
    return creating
  })
  await removing
  expect((await api.send({ path: '/agents/', key })).statusCode).toBe(401)
})

it('revokes a key immediately, along with its webhook subscriptions', async () => {
  const { id, key } = await newKey()
  const body = { target_url: 'https://example.com/hook', event: 'call.completed' }
  const { id: hook } = (await api.send({ method: 'POST', path: '/webhooks/subscribe', body, key })).json<{
    id: number
  }>()
  await revokeApiKey(api.deps, api.seed.workspaceId, id)
  const rejected = await api.send({ path: '/agents/', key })
  expect([rejected.statusCode, rejected.json()]).toMatchObject([
    401,
    { error: { code: 'invalid_credential' } },
  ])
  expect((await api.send({ method: 'DELETE', path: `/webhooks/${hook}/` })).statusCode).toBe(404)
  await expect(revokeApiKey(api.deps, api.seed.workspaceId, id)).rejects.toMatchObject({ code: 'not_found' })
})

it("doesn't revoke another workspace's key", async () => {
  const { id, key } = await newKey()
  const { seed } = await api.seedOtherWorkspace()
  await expect(revokeApiKey(api.deps, seed.workspaceId, id)).rejects.toMatchObject({ code: 'not_found' })
  expect((await api.send({ path: '/agents/', key })).statusCode).toBe(200)
})

it('records when a key was last used, at most once a minute', async () => {
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
