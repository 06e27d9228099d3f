import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { createBrowser } from '../../../support/browser.ts'
import { deleteUnusedGrants } from '../../accounts/oauth/grants.ts'
import { loadServerKeys } from '../../accounts/oauth/server-keys.ts'
import { createTestDatabase } from '../support/database.ts'
import { testDeps } from '../support/deps.ts'
import { password } from '../support/factories.ts'
import { connect, consent, newFlow, parseTokens, refresh, useOAuthWorld } from '../support/oauth.ts'

const world = useOAuthWorld()

/** Returns everything that's stored about users, apps, and authorizations, as JSON. */
async function dump(): Promise<string> {
  const tables = [
    'app_user',
    'session',
    'oauth_client',
    'oauth_grant',
    'oauth_payload',
    'credential',
    'server_secret',
  ]
  const rows = await Promise.all(
    tables.map((table) => sql`select * from ${sql.table(table)}`.execute(world.db)),
  )
  return JSON.stringify(rows.map(({ rows: all }) => all))
}

it('stores no token, code, cookie, password, or client secret in plain text', async () => {
  const browser = createBrowser()
  const flow = await consent(world.zapier, world.robin, 'Acme', { browser })
  const confidential = await connect(world.zapier, world.robin, 'Acme', { browser })
  const rotated = await connect(world.phone, world.robin, 'Acme', { browser })
  const next = await parseTokens(world.phone, await refresh(world.phone, rotated.refresh_token))
  const { page } = await browser.open((await newFlow(world.zapier)).startUrl)
  const interactionId = page.url.split('/').at(-1) ?? ''
  expect(interactionId).toHaveLength(43)

  const secrets = [
    flow.callback.searchParams.get('code') ?? '',
    confidential.access_token,
    confidential.refresh_token,
    rotated.refresh_token,
    next.access_token,
    next.refresh_token,
    interactionId,
    world.zapier.secret ?? '',
    password,
    ...browser.cookies().map((cookie) => cookie.slice(cookie.indexOf('=') + 1)),
  ]
  const stored = await dump()
  expect(stored).toContain(world.zapier.clientId)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20)
    expect(stored).not.toContain(secret)
    expect(stored).not.toContain(Buffer.from(secret).toString('base64'))
  }
})

it('deletes an authorization whose code was never exchanged, and keeps connections', async () => {
  await consent(world.zapier, world.robin, 'Acme')
  const connected = await connect(world.zapier, world.robin, 'Acme')
  world.service.deps.clock.advance(86_400_000)
  const grants = () => world.db.selectFrom('oauth_grant').select('id_hash').execute()
  const before = await grants()
  await deleteUnusedGrants(world.service.deps, world.service.deps.clock.now())
  expect((await grants()).length).toBeLessThan(before.length)
  expect((await refresh(world.zapier, connected.refresh_token)).status).toBe(200)
})

it('if several processes start at the same time, creates only one set of keys for the OAuth server', async () => {
  const empty = await createTestDatabase()
  try {
    const all = await Promise.all(Array.from({ length: 6 }, () => loadServerKeys(testDeps(empty.db))))
    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1)
  } finally {
    await empty.close()
  }
})
