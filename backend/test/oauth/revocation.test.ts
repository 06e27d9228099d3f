import { afterAll, beforeAll, expect, it } from '@jest/globals'
import * as oauth from 'oauth4webapi'
import { endMembership } from '../../access/remove-member.ts'
import { disconnectApp } from '../../access/revoke-connection.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { deleteMembership } from '../../identity/member-store.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  apiStatus,
  connect,
  consent,
  exchangeCode,
  insecure,
  parseTokens,
  readError,
  refresh,
  seedApp,
  seedUser,
  type TestApp,
  type TestUser,
} from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'

let database: TestDatabase
let service: Service
let robin: TestUser
let zapier: TestApp
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService(database.db)
  robin = await seedUser(service.deps, 'Acme', 'Globex')
  zapier = await seedApp(service, 'confidential')
})
afterAll(async () => {
  await service.close()
  await database.close()
})

const revoke = (app: TestApp, token: string): Promise<Response> =>
  oauth.revocationRequest(app.server, app.client, app.authenticate, token, insecure)

const subscribe = async (token: string): Promise<number> => {
  const response = await fetch(`${service.url}/api/public/v1/webhooks/subscribe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target_url: 'http://127.0.0.1:9/hook', event: 'call.completed' }),
  })
  await response.body?.cancel()
  return response.status
}

const subscriptionsOf = async (workspaceId: number | undefined): Promise<number> => {
  const rows = await database.db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('workspace_id', '=', workspaceId ?? 0)
    .execute()
  return rows.length
}

it('ends one access token, and the connection lives on', async () => {
  const first = await connect(zapier, robin, 'Acme')
  expect((await revoke(zapier, first.access_token)).status).toBe(200)
  expect(await apiStatus(service, first.access_token)).toBe(401)
  const second = await parseTokens(zapier, await refresh(zapier, first.refresh_token))
  expect(await apiStatus(service, second.access_token)).toBe(200)
})

it('ends with a refresh token every token of its connection, and of no other', async () => {
  const first = await connect(zapier, robin, 'Acme')
  const second = await parseTokens(zapier, await refresh(zapier, first.refresh_token))
  const other = await connect(zapier, robin, 'Acme')
  expect((await revoke(zapier, first.refresh_token)).status).toBe(200)
  expect(await apiStatus(service, first.access_token)).toBe(401)
  expect(await apiStatus(service, second.access_token)).toBe(401)
  expect(await readError(await refresh(zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(await apiStatus(service, other.access_token)).toBe(200)
})

it('removes the webhook subscriptions with the last connection that an app gives back', async () => {
  const kim = await seedUser(service.deps, 'Hooli')
  const first = await connect(zapier, kim, 'Hooli', { paramOverrides: { scope: null } })
  const second = await connect(zapier, kim, 'Hooli', { paramOverrides: { scope: null } })
  expect(await subscribe(first.access_token)).toBe(201)
  await revoke(zapier, first.refresh_token)
  expect(await subscriptionsOf(kim.workspaces.Hooli)).toBe(1)
  await revoke(zapier, second.refresh_token)
  expect(await subscriptionsOf(kim.workspaces.Hooli)).toBe(0)
})

it('keeps the webhook subscriptions over a replay and the reconnect after it', async () => {
  const lee = await seedUser(service.deps, 'Soylent')
  const first = await connect(zapier, lee, 'Soylent', { paramOverrides: { scope: null } })
  expect(await subscribe(first.access_token)).toBe(201)
  await exchangeCode(zapier, first.flow)
  const second = await connect(zapier, lee, 'Soylent', { paramOverrides: { scope: null } })
  expect(await subscribe(second.access_token)).toBe(200)
})

it('answers the revocation of a token that is none with 200, as RFC 7009 says', async () => {
  expect((await revoke(zapier, 'x'.repeat(43))).status).toBe(200)
})

it('does not let an app revoke the tokens of another', async () => {
  const first = await connect(zapier, robin, 'Acme')
  const other = await seedApp(service, 'confidential', 'Other')
  await revoke(other, first.refresh_token)
  await revoke(other, first.access_token)
  expect(await apiStatus(service, first.access_token)).toBe(200)
  expect((await refresh(zapier, first.refresh_token)).status).toBe(200)
})

it('does not take an API key for a token that an app could revoke', async () => {
  const workspaceId = robin.workspaces.Acme ?? 0
  const { key } = await createApiKey(service.deps, { workspaceId, userId: robin.userId, name: 'Script' })
  await revoke(zapier, key)
  expect(await apiStatus(service, key)).toBe(200)
})

it('ends all that an app has in a workspace when it is disconnected, and nothing elsewhere', async () => {
  const acme = await connect(zapier, robin, 'Acme', { paramOverrides: { scope: null } })
  const globex = await connect(zapier, robin, 'Globex', { paramOverrides: { scope: null } })
  const other = await connect(await seedApp(service, 'public', 'Other'), robin, 'Acme')
  expect(await subscribe(acme.access_token)).toBe(201)
  expect(await subscribe(globex.access_token)).toBe(201)

  await disconnectApp(service.deps, {
    workspaceId: robin.workspaces.Acme ?? 0,
    userId: robin.userId,
    clientId: zapier.clientId,
  })
  expect(await apiStatus(service, acme.access_token)).toBe(401)
  expect(await readError(await refresh(zapier, acme.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(await subscriptionsOf(robin.workspaces.Acme)).toBe(0)
  expect(await apiStatus(service, globex.access_token)).toBe(200)
  expect(await subscriptionsOf(robin.workspaces.Globex)).toBe(1)
  expect(await apiStatus(service, other.access_token)).toBe(200)
})

it('ends with a membership every token, key and subscription of the member there, and nothing elsewhere', async () => {
  const sam = await seedUser(service.deps, 'Initech', 'Umbrella')
  const [workspaceId = 0, otherWorkspaceId = 0] = [sam.workspaces.Initech, sam.workspaces.Umbrella]
  const gone = await connect(zapier, sam, 'Initech', { paramOverrides: { scope: null } })
  const stays = await connect(zapier, sam, 'Umbrella', { paramOverrides: { scope: null } })
  const { key } = await createApiKey(service.deps, { workspaceId, userId: sam.userId, name: 'Script' })
  const { key: otherKey } = await createApiKey(service.deps, {
    workspaceId: otherWorkspaceId,
    userId: sam.userId,
    name: 'Script',
  })
  for (const token of [gone.access_token, stays.access_token, key, otherKey]) {
    expect(await subscribe(token)).toBe(201)
  }

  await endMembership(service.deps, { workspaceId, userId: sam.userId })
  expect(await apiStatus(service, gone.access_token)).toBe(401)
  expect(await apiStatus(service, key)).toBe(401)
  expect(await readError(await refresh(zapier, gone.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(await subscriptionsOf(workspaceId)).toBe(0)
  expect(await apiStatus(service, stays.access_token)).toBe(200)
  expect(await apiStatus(service, otherKey)).toBe(200)
  expect(await subscriptionsOf(otherWorkspaceId)).toBe(2)
})

it('gives no tokens for a code whose user was removed meanwhile', async () => {
  const pat = await seedUser(service.deps, 'Massive')
  const flow = await consent(zapier, pat, 'Massive')
  await endMembership(service.deps, { workspaceId: pat.workspaces.Massive ?? 0, userId: pat.userId })
  expect(await readError(await exchangeCode(zapier, flow))).toEqual([400, 'invalid_grant'])
})

it('says that who is no member cannot be removed', async () => {
  const removing = endMembership(service.deps, { workspaceId: robin.workspaces.Acme ?? 0, userId: 999_999 })
  await expect(removing).rejects.toMatchObject({ code: 'not_found' })
})

it('gives nothing to who is no member, however the membership ended', async () => {
  const ann = await seedUser(service.deps, 'Cyberdyne')
  const first = await connect(zapier, ann, 'Cyberdyne')
  const flow = await consent(zapier, ann, 'Cyberdyne')
  await deleteMembership(database.db, ann.workspaces.Cyberdyne ?? 0, ann.userId)
  expect(await readError(await refresh(zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(await readError(await exchangeCode(zapier, flow))).toEqual([400, 'invalid_grant'])
})
