import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endMembership } from '../../access/remove-member.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  apiStatus,
  connect,
  parseTokens,
  readError,
  refresh,
  seedApp,
  seedUser,
  type TestApp,
  type TestUser,
} from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'

const dayMs = 86_400_000

let database: TestDatabase
let service: Service
let robin: TestUser
let zapier: TestApp
let phone: TestApp
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService(database.db)
  robin = await seedUser(service.deps, 'Acme', 'Globex')
  zapier = await seedApp(service, 'confidential')
  phone = await seedApp(service, 'public', 'Phone')
})
afterAll(async () => {
  await service.close()
  await database.close()
})

it('lets a confidential client keep its refresh token, so that a lost answer loses nothing', async () => {
  const first = await connect(zapier, robin, 'Acme')
  const lost = await refresh(zapier, first.refresh_token)
  await lost.body?.cancel()
  const second = await parseTokens(zapier, await refresh(zapier, first.refresh_token))
  expect(second.refresh_token).toBe(first.refresh_token)
  expect(second.access_token).not.toBe(first.access_token)
  expect(await apiStatus(service, second.access_token)).toBe(200)
})

it('says at a refresh, too, which workspace the connection is bound to', async () => {
  const first = await connect(zapier, robin, 'Globex')
  const { tokenResponse } = await parseTokens(zapier, await refresh(zapier, first.refresh_token))
  expect(tokenResponse).toMatchObject({
    expires_in: 3600,
    scope: 'contacts:write calls:read',
    workspace_id: robin.workspaces.Globex,
    workspace_name: 'Globex',
  })
})

it.each(['confidential', 'public'] as const)('refreshes a %s client after 400 days', async (kind) => {
  const app = kind === 'public' ? phone : zapier
  const first = await connect(app, robin, 'Acme')
  service.deps.clock.advance(400 * dayMs)
  const later = await parseTokens(app, await refresh(app, first.refresh_token))
  expect(await apiStatus(service, later.access_token)).toBe(200)
  service.deps.clock.advance(400 * dayMs)
  const last = await parseTokens(app, await refresh(app, later.refresh_token))
  expect(await apiStatus(service, last.access_token)).toBe(200)
})

it('rotates the refresh token of a public client', async () => {
  const first = await connect(phone, robin, 'Acme')
  const second = await parseTokens(phone, await refresh(phone, first.refresh_token))
  expect(second.refresh_token).not.toBe(first.refresh_token)
  const third = await parseTokens(phone, await refresh(phone, second.refresh_token))
  expect(await apiStatus(service, third.access_token)).toBe(200)
})

it('ends the whole family when a rotated refresh token is used again', async () => {
  const first = await connect(phone, robin, 'Acme')
  const other = await connect(phone, robin, 'Globex')
  const second = await parseTokens(phone, await refresh(phone, first.refresh_token))
  expect(await readError(await refresh(phone, first.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(await readError(await refresh(phone, second.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(await apiStatus(service, second.access_token)).toBe(401)
  expect(await apiStatus(service, other.access_token)).toBe(200)
})

it('takes simultaneous uses of one rotating refresh token for theft', async () => {
  const { refresh_token } = await connect(phone, robin, 'Acme')
  const responses = await Promise.all([refresh(phone, refresh_token), refresh(phone, refresh_token)])
  expect(responses.map((response) => response.status).filter((status) => status === 200).length).toBeLessThan(
    2,
  )
  expect(responses.every((response) => response.status === 200 || response.status === 400)).toBe(true)
})

it('narrows the scopes of an access token where the app asks for fewer', async () => {
  const first = await connect(zapier, robin, 'Acme')
  const narrow = await parseTokens(
    zapier,
    await refresh(zapier, first.refresh_token, { scope: 'contacts:write' }),
  )
  expect(narrow.tokenResponse.scope).toBe('contacts:write')
  expect(await apiStatus(service, narrow.access_token)).toBe(403)
  const wide = await parseTokens(zapier, await refresh(zapier, first.refresh_token))
  expect(await apiStatus(service, wide.access_token)).toBe(200)
})

it('never widens them', async () => {
  const first = await connect(zapier, robin, 'Acme')
  const response = await refresh(zapier, first.refresh_token, { scope: 'calls:read campaigns:write' })
  expect(await readError(response)).toEqual([400, 'invalid_scope'])
})

it('refuses the refresh token of another app, and leaves it alive', async () => {
  const first = await connect(zapier, robin, 'Acme')
  const other = await seedApp(service, 'confidential', 'Other')
  expect(await readError(await refresh(other, first.refresh_token))).toEqual([400, 'invalid_grant'])
  expect((await refresh(zapier, first.refresh_token)).status).toBe(200)
})

it('refuses a refresh token that never was', async () => {
  expect(await readError(await refresh(zapier, 'x'.repeat(43)))).toEqual([400, 'invalid_grant'])
})

it('keeps connections and pages alive over a restart', async () => {
  const first = await connect(zapier, robin, 'Acme')
  await service.close()
  service = await startService(database.db, service)
  expect((await refresh(zapier, first.refresh_token)).status).toBe(200)
  expect(await apiStatus(service, first.access_token)).toBe(200)
})

it('gives nothing to an app whose user was removed, even in the middle of a refresh', async () => {
  const sam = await seedUser(service.deps, 'Initech')
  const first = await connect(zapier, sam, 'Initech')
  const workspaceId = sam.workspaces.Initech ?? 0
  const responses = await Promise.all([
    ...Array.from({ length: 8 }, () => refresh(zapier, first.refresh_token)),
    endMembership(service.deps, { workspaceId, userId: sam.userId }),
  ])
  for (const response of responses) {
    if (!(response instanceof Response)) continue
    expect([200, 400]).toContain(response.status)
    if (response.status === 200) {
      expect(await apiStatus(service, (await parseTokens(zapier, response)).access_token)).toBe(401)
    }
  }
  expect(await readError(await refresh(zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
})
