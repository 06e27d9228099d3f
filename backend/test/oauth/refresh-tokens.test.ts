import { describe, expect, it } from '@jest/globals'
import { Scope } from '@outdial/contract'
import { endMembership } from '../../accounts/access/remove-member.ts'
import { startExpirationJob } from '../../privacy/delete-expired.ts'
import {
  apiStatus,
  connect,
  parseTokens,
  readError,
  refresh,
  seedApp,
  seedUserWithWorkspaces,
  useOAuthWorld,
} from '../support/oauth.ts'

const dayMs = 86_400_000

const world = useOAuthWorld()

describe('a long-lived connection', () => {
  it("doesn't replace a confidential client's refresh token, so that a lost response does no harm", async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    const lost = await refresh(world.zapier, first.refresh_token)
    await lost.body?.cancel()
    const second = await parseTokens(world.zapier, await refresh(world.zapier, first.refresh_token))
    expect(second.refresh_token).toBe(first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(await apiStatus(world.service, second.access_token)).toBe(200)
  })

  it("returns the workspace's ID and name when an app refreshes its tokens", async () => {
    const first = await connect(world.zapier, world.robin, 'Globex')
    const { tokenResponse } = await parseTokens(
      world.zapier,
      await refresh(world.zapier, first.refresh_token),
    )
    expect(tokenResponse).toMatchObject({
      expires_in: 3600,
      scope: 'contacts:write calls:read',
      workspace_id: world.robin.workspaces.Globex,
      workspace_name: 'Globex',
      user_email: world.robin.email,
    })
  })

  it('still works without a scope that was added later, and has to be reconnected only for requests that need that scope', async () => {
    const older = Scope.options.filter((scope) => scope !== 'calls:write').join(' ')
    const first = await connect(world.zapier, world.robin, 'Acme', { paramOverrides: { scope: older } })
    const later = await parseTokens(world.zapier, await refresh(world.zapier, first.refresh_token))
    expect(later.tokenResponse.scope).toBe(older)
    expect(await apiStatus(world.service, later.access_token)).toBe(200)
    for (const path of ['/calls/cancel', '/do-not-call/']) {
      const response = await fetch(`${world.service.url}/api/public/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${later.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ phone_number: '+12025550100' }),
      })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({
        error: {
          code: 'insufficient_scope',
          message:
            'The connection is missing a permission that the request needs: calls:write. Reconnect the account and allow the permission.',
        },
      })
    }
  })

  it.each([
    ['confidential', 400],
    ['public', 89],
  ] as const)('lets a %s client refresh its tokens repeatedly, %d days apart', async (kind, days) => {
    const app = kind === 'public' ? world.phone : world.zapier
    const first = await connect(app, world.robin, 'Acme')
    world.service.deps.clock.advance(days * dayMs)
    const later = await parseTokens(app, await refresh(app, first.refresh_token))
    expect(await apiStatus(world.service, later.access_token)).toBe(200)
    world.service.deps.clock.advance(days * dayMs)
    const last = await parseTokens(app, await refresh(app, later.refresh_token))
    expect(await apiStatus(world.service, last.access_token)).toBe(200)
  })

  it("ends if a public client doesn't use its refresh token for 90 days", async () => {
    const { deps } = world.service
    const first = await connect(world.phone, world.robin, 'Acme')
    deps.clock.advance(90 * dayMs)
    expect(await readError(await refresh(world.phone, first.refresh_token))).toEqual([400, 'invalid_grant'])
    // Expired access tokens are stored for a week, so that the error can say that they expired.
    deps.clock.advance(8 * dayMs)
    const job = startExpirationJob(deps)
    while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    await job.stop()
    const grants = await world.db
      .selectFrom('oauth_grant')
      .select('id_hash')
      .where('client_id', '=', world.phone.clientId)
      .execute()
    expect(grants).toEqual([])
  })

  it('continues after the service restarts', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    await world.restartService()
    expect((await refresh(world.zapier, first.refresh_token)).status).toBe(200)
    expect(await apiStatus(world.service, first.access_token)).toBe(200)
  })
})

describe('token rotation', () => {
  it("replaces a public client's refresh token each time it's used", async () => {
    const first = await connect(world.phone, world.robin, 'Acme')
    const second = await parseTokens(world.phone, await refresh(world.phone, first.refresh_token))
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const third = await parseTokens(world.phone, await refresh(world.phone, second.refresh_token))
    expect(await apiStatus(world.service, third.access_token)).toBe(200)
  })

  it('if a replaced refresh token is used again, ends its connection, but no other', async () => {
    const first = await connect(world.phone, world.robin, 'Acme')
    const other = await connect(world.phone, world.robin, 'Globex')
    const second = await parseTokens(world.phone, await refresh(world.phone, first.refresh_token))
    expect(await readError(await refresh(world.phone, first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await readError(await refresh(world.phone, second.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await apiStatus(world.service, second.access_token)).toBe(401)
    expect(await apiStatus(world.service, other.access_token)).toBe(200)
  })

  it('accepts at most one of two simultaneous requests with the same refresh token', async () => {
    const { refresh_token } = await connect(world.phone, world.robin, 'Acme')
    const responses = await Promise.all([
      refresh(world.phone, refresh_token),
      refresh(world.phone, refresh_token),
    ])
    expect(
      responses.map((response) => response.status).filter((status) => status === 200).length,
    ).toBeLessThan(2)
    expect(responses.every((response) => response.status === 200 || response.status === 400)).toBe(true)
  })
})

describe('scopes', () => {
  it('narrows the scopes of an access token if the app asks for fewer', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    const narrow = await parseTokens(
      world.zapier,
      await refresh(world.zapier, first.refresh_token, { scope: 'contacts:write' }),
    )
    expect(narrow.tokenResponse.scope).toBe('contacts:write')
    expect(await apiStatus(world.service, narrow.access_token)).toBe(403)
    const wide = await parseTokens(world.zapier, await refresh(world.zapier, first.refresh_token))
    expect(await apiStatus(world.service, wide.access_token)).toBe(200)
  })

  it("rejects scopes that weren't granted", async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    const response = await refresh(world.zapier, first.refresh_token, { scope: 'calls:read campaigns:write' })
    expect(await readError(response)).toEqual([400, 'invalid_scope'])
  })
})

describe('rejected refresh tokens', () => {
  it('rejects a refresh token that another app sends, but keeps the token valid for its own app', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    const other = await seedApp(world.service, 'confidential', 'Other')
    expect(await readError(await refresh(other, first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect((await refresh(world.zapier, first.refresh_token)).status).toBe(200)
  })

  it('rejects an unknown refresh token', async () => {
    expect(await readError(await refresh(world.zapier, 'x'.repeat(43)))).toEqual([400, 'invalid_grant'])
  })

  it('if a user is removed while an app refreshes its tokens, issues no tokens that still work', async () => {
    const sam = await seedUserWithWorkspaces(world.service.deps, 'Initech')
    const first = await connect(world.zapier, sam, 'Initech')
    const workspaceId = sam.workspaces.Initech ?? 0
    const responses = await Promise.all([
      ...Array.from({ length: 8 }, () => refresh(world.zapier, first.refresh_token)),
      endMembership(world.service.deps, workspaceId, sam.userId),
    ])
    for (const response of responses) {
      if (!(response instanceof Response)) continue
      expect([200, 400]).toContain(response.status)
      if (response.status === 200) {
        expect(await apiStatus(world.service, (await parseTokens(world.zapier, response)).access_token)).toBe(
          401,
        )
      }
    }
    expect(await readError(await refresh(world.zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
  })
})
