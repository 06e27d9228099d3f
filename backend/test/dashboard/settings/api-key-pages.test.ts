import { expect, it } from '@jest/globals'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { subscribe } from '../../../webhooks/subscriptions.ts'
import {
  getSecret,
  listCallsOverApi,
  seedSignedInMember,
  seedSignedInOwner,
} from '../../support/dashboard.ts'
import { seedApiKeyCaller } from '../../support/factories.ts'
import { useHttpReceiver } from '../../support/http-receiver.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()
const receiver = useHttpReceiver()

const listCalls = (key: string) => listCallsOverApi(world.service, key)

it('shows a new API key only once', async () => {
  const { browser, open, seed } = await seedSignedInOwner(world.service)
  const form = await open('/settings/api-keys/new')
  const { page } = await browser.press(form, 'Create key', { name: 'Import <nightly>' })
  const key = getSecret(page)
  expect(key).toMatch(/^odk_/)
  expect(page.url).not.toContain(key)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(browser.cookies().join()).not.toContain(key)
  expect((await listCalls(key)).status).toBe(200)

  const { page: again } = await browser.press(form, 'Create key', { name: 'Import <nightly>' })
  expect(again.text).toContain("its secret or link can't be shown again")
  const list = await open('/settings/api-keys')
  expect(list.html).toContain('Import &lt;nightly&gt;')
  expect(list.text).toContain(`${key.slice(0, 8)}…`)
  expect(list.html + again.html).not.toContain(key)
  const keys = await world.database.db
    .selectFrom('api_key')
    .selectAll()
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(keys).toHaveLength(1)
})

it('the Integrations page links to the API keys', async () => {
  const { open, urlFor } = await seedSignedInOwner(world.service)
  const page = await open('/integrations')
  expect(page.html).toContain(`href="${new URL(urlFor('/settings/api-keys')).pathname}"`)
})

it('requires a name for a key', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const { page } = await browser.press(await open('/settings/api-keys/new'), 'Create key', {
    name: '',
  })
  expect(page.status).toBe(422)
  expect(page.html).toMatch(/id="f-name-issue"/)
})

it('revokes a key, and says how many webhook subscriptions are removed with it', async () => {
  const owner = await seedSignedInOwner(world.service)
  const { id, key } = await createApiKey(world.service.deps, owner.seed.workspaceId, owner.seed.userId, 'Old')
  const caller = { ...(await seedApiKeyCaller(world.service.deps, owner.seed)), apiKeyId: id }
  for (const path of ['/a', '/b']) {
    await subscribe(world.service.deps, caller, { target_url: receiver.url(path), event: 'call.completed' })
  }
  const list = await owner.open('/settings/api-keys')
  expect(list.text).toContain('2 webhook subscriptions will be removed')
  const { page } = await owner.browser.press(
    { ...list, html: list.html.slice(list.html.indexOf(`revoke-${id}`)) },
    'Revoke key',
  )
  expect(page.text).toContain('API key “Old” was revoked, and its 2 webhook subscriptions were removed.')
  expect((await listCalls(key)).status).toBe(401)
})

it('lets a member revoke only their own keys', async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const { workspaceId } = owner.seed
  const theirs = await createApiKey(world.service.deps, workspaceId, owner.userId, 'Theirs')
  const ownKey = await createApiKey(world.service.deps, workspaceId, member.userId, 'Mine')
  const list = await member.open('/settings/api-keys')
  expect(list.html).toContain(`/api-keys/${ownKey.id}/revoke`)
  expect(list.html).not.toContain(`/api-keys/${theirs.id}/revoke`)

  const forged = { ...list, html: list.html.replace(`/${ownKey.id}/revoke`, `/${theirs.id}/revoke`) }
  const { page } = await member.browser.press(forged, 'Revoke key')
  expect(page.status).toBe(403)
  expect((await listCalls(theirs.key)).status).toBe(200)
  const { page: after } = await member.browser.press(list, 'Revoke key')
  expect(after.text).toContain('API key “Mine” was revoked.')
  expect((await listCalls(ownKey.key)).status).toBe(401)
})
