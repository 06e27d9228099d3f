import { describe, expect, it } from '@jest/globals'
import * as oauth from 'oauth4webapi'
import { endMembership } from '../../accounts/access/remove-member.ts'
import { disconnectApp } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { deleteMembership } from '../../accounts/identity/member-store.ts'
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
  seedUserWithWorkspaces,
  type TestApp,
  useOAuthWorld,
} from '../support/oauth.ts'

const world = useOAuthWorld()

const revoke = (app: TestApp, token: string): Promise<Response> =>
  oauth.revocationRequest(app.server, app.client, app.authenticate, token, insecure)

const subscribe = async (token: string): Promise<number> => {
  const response = await fetch(`${world.service.url}/api/public/v1/webhooks/subscribe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target_url: 'http://127.0.0.1:9/hook', event: 'call.completed' }),
  })
  await response.body?.cancel()
  return response.status
}

const subscriptionsOf = async (workspaceId: number | undefined): Promise<number> => {
  const rows = await world.db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('workspace_id', '=', workspaceId ?? 0)
    .where('ended_at', 'is', null)
    .execute()
  return rows.length
}

describe('token revocation', () => {
  it('returns JSON, because clients parse the response', async () => {
    const { access_token } = await connect(world.zapier, world.robin, 'Acme')
    const response = await revoke(world.zapier, access_token)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.json()).toEqual({})
  })

  it('ends one access token without ending the connection', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    expect((await revoke(world.zapier, first.access_token)).status).toBe(200)
    expect(await apiStatus(world.service, first.access_token)).toBe(401)
    const second = await parseTokens(world.zapier, await refresh(world.zapier, first.refresh_token))
    expect(await apiStatus(world.service, second.access_token)).toBe(200)
  })

  it('when a refresh token is revoked, ends all tokens of its connection, but no other connection', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    const second = await parseTokens(world.zapier, await refresh(world.zapier, first.refresh_token))
    const other = await connect(world.zapier, world.robin, 'Acme')
    expect((await revoke(world.zapier, first.refresh_token)).status).toBe(200)
    expect(await apiStatus(world.service, first.access_token)).toBe(401)
    expect(await apiStatus(world.service, second.access_token)).toBe(401)
    expect(await readError(await refresh(world.zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await apiStatus(world.service, other.access_token)).toBe(200)
  })

  it('returns 200 for an unknown token, as RFC 7009 requires', async () => {
    expect((await revoke(world.zapier, 'x'.repeat(43))).status).toBe(200)
  })

  it("doesn't let an app revoke another app's tokens", async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    const other = await seedApp(world.service, 'confidential', 'Other')
    await revoke(other, first.refresh_token)
    await revoke(other, first.access_token)
    expect(await apiStatus(world.service, first.access_token)).toBe(200)
    expect((await refresh(world.zapier, first.refresh_token)).status).toBe(200)
  })

  it("doesn't let an app revoke an API key", async () => {
    const workspaceId = world.robin.workspaces.Acme ?? 0
    const { key } = await createApiKey(world.service.deps, workspaceId, world.robin.userId, 'Script')
    await revoke(world.zapier, key)
    expect(await apiStatus(world.service, key)).toBe(200)
  })
})

describe('webhook subscriptions', () => {
  it('end only when an app revokes its last connection to the workspace', async () => {
    const kim = await seedUserWithWorkspaces(world.service.deps, 'Hooli')
    const first = await connect(world.zapier, kim, 'Hooli', { paramOverrides: { scope: null } })
    const second = await connect(world.zapier, kim, 'Hooli', { paramOverrides: { scope: null } })
    expect(await subscribe(first.access_token)).toBe(201)
    await revoke(world.zapier, first.refresh_token)
    expect(await subscriptionsOf(kim.workspaces.Hooli)).toBe(1)
    await revoke(world.zapier, second.refresh_token)
    expect(await subscriptionsOf(kim.workspaces.Hooli)).toBe(0)
  })

  it("remain if the app's authorization code is replayed, and still exist after the app reconnects", async () => {
    const lee = await seedUserWithWorkspaces(world.service.deps, 'Soylent')
    const first = await connect(world.zapier, lee, 'Soylent', { paramOverrides: { scope: null } })
    expect(await subscribe(first.access_token)).toBe(201)
    await exchangeCode(world.zapier, first.flow)
    const second = await connect(world.zapier, lee, 'Soylent', { paramOverrides: { scope: null } })
    expect(await subscribe(second.access_token)).toBe(200)
  })
})

describe('a disconnected app', () => {
  it('loses its tokens and subscriptions only in the workspace that disconnected it', async () => {
    const acme = await connect(world.zapier, world.robin, 'Acme', { paramOverrides: { scope: null } })
    const globex = await connect(world.zapier, world.robin, 'Globex', { paramOverrides: { scope: null } })
    const other = await connect(await seedApp(world.service, 'public', 'Other'), world.robin, 'Acme')
    expect(await subscribe(acme.access_token)).toBe(201)
    expect(await subscribe(globex.access_token)).toBe(201)

    await disconnectApp(
      world.service.deps,
      world.robin.workspaces.Acme ?? 0,
      world.robin.userId,
      world.zapier.clientId,
    )
    expect(await apiStatus(world.service, acme.access_token)).toBe(401)
    expect(await readError(await refresh(world.zapier, acme.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await subscriptionsOf(world.robin.workspaces.Acme)).toBe(0)
    expect(await apiStatus(world.service, globex.access_token)).toBe(200)
    expect(await subscriptionsOf(world.robin.workspaces.Globex)).toBe(1)
    expect(await apiStatus(world.service, other.access_token)).toBe(200)
  })
})

describe('ending a membership', () => {
  it("ends the user's tokens, API keys, and subscriptions in that workspace, but not in others", async () => {
    const sam = await seedUserWithWorkspaces(world.service.deps, 'Initech', 'Umbrella')
    const [workspaceId = 0, otherWorkspaceId = 0] = [sam.workspaces.Initech, sam.workspaces.Umbrella]
    const gone = await connect(world.zapier, sam, 'Initech', { paramOverrides: { scope: null } })
    const stays = await connect(world.zapier, sam, 'Umbrella', { paramOverrides: { scope: null } })
    const { key } = await createApiKey(world.service.deps, workspaceId, sam.userId, 'Script')
    const { key: otherKey } = await createApiKey(world.service.deps, otherWorkspaceId, sam.userId, 'Script')
    for (const token of [gone.access_token, stays.access_token, key, otherKey]) {
      expect(await subscribe(token)).toBe(201)
    }

    await endMembership(world.service.deps, workspaceId, sam.userId)
    expect(await apiStatus(world.service, gone.access_token)).toBe(401)
    expect(await apiStatus(world.service, key)).toBe(401)
    expect(await readError(await refresh(world.zapier, gone.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await subscriptionsOf(workspaceId)).toBe(0)
    expect(await apiStatus(world.service, stays.access_token)).toBe(200)
    expect(await apiStatus(world.service, otherKey)).toBe(200)
    expect(await subscriptionsOf(otherWorkspaceId)).toBe(2)
  })

  it('issues no tokens for an authorization code if the user was removed before the app exchanged it', async () => {
    const pat = await seedUserWithWorkspaces(world.service.deps, 'Massive')
    const flow = await consent(world.zapier, pat, 'Massive')
    await endMembership(world.service.deps, pat.workspaces.Massive ?? 0, pat.userId)
    expect(await readError(await exchangeCode(world.zapier, flow))).toEqual([400, 'invalid_grant'])
  })

  it("rejects the removal of a user who isn't a member", async () => {
    const removing = endMembership(world.service.deps, world.robin.workspaces.Acme ?? 0, 999_999)
    await expect(removing).rejects.toMatchObject({ code: 'not_found' })
  })

  it('issues no tokens for a former member, even if the membership was only deleted from the database', async () => {
    const ann = await seedUserWithWorkspaces(world.service.deps, 'Cyberdyne')
    const first = await connect(world.zapier, ann, 'Cyberdyne')
    const flow = await consent(world.zapier, ann, 'Cyberdyne')
    await deleteMembership(world.db, ann.workspaces.Cyberdyne ?? 0, ann.userId)
    expect(await readError(await refresh(world.zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await readError(await exchangeCode(world.zapier, flow))).toEqual([400, 'invalid_grant'])
  })
})
