import { expect, it } from '@jest/globals'
import { listCallsOverApi, seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { seedAppCaller } from '../../support/factories.ts'
import { connect, seedApp } from '../../support/oauth.ts'
import { useServiceWorld } from '../../support/service.ts'
import { waitForValue } from '../../support/wait.ts'

const world = useServiceWorld()

const listCalls = (key: string) => listCallsOverApi(world.service, key)

it('shows what a connected app may do and when it was used, and disconnects it', async () => {
  const owner = await seedSignedInOwner(world.service)
  const app = await seedApp(world.service, 'confidential', 'Zap <app>')
  const robin = { userId: owner.userId, email: owner.email, workspaces: {} }
  const { access_token } = await connect(app, robin, 'Acme')
  const before = await owner.open('/integrations/apps')
  expect(before.html).toContain('Zap &lt;app&gt;')
  expect(before.text).toContain(
    'Add and update contacts and see their saved data, and queue calls and see their metadata',
  )
  expect(before.text).not.toContain('Create campaigns')
  expect(before.text).toContain('Last used Never')

  expect((await listCalls(access_token)).status).toBe(200)
  await waitForValue(
    () => owner.open('/integrations/apps'),
    ({ text }) => !text.includes('Last used Never'),
  )

  const { page } = await owner.browser.press(before, 'Disconnect app')
  expect(page.text).toContain('Zap <app> was disconnected.')
  expect(page.text).toContain('No connected apps yet.')
  expect((await listCalls(access_token)).status).toBe(401)
})

it("doesn't let a member disconnect another user's app", async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const { seed } = owner
  await seedAppCaller(world.service.deps, { ...seed, userId: owner.userId }, 'theirs')
  await seedAppCaller(world.service.deps, { ...seed, userId: member.userId }, 'mine')
  const list = await member.open('/integrations/apps')
  const ownPath = `/apps/${member.userId}/mine/disconnect`
  expect(list.html).not.toContain(`/apps/${owner.userId}/theirs/disconnect`)
  const forged = { ...list, html: list.html.replace(ownPath, `/apps/${owner.userId}/theirs/disconnect`) }
  expect((await member.browser.press(forged, 'Disconnect app')).page.status).toBe(403)
  const { page } = await member.browser.press(list, 'Disconnect app')
  expect(page.text).toContain('mine was disconnected.')
})

it('shows the commands that connect this server to Zapier', async () => {
  const { text } = await (await seedSignedInOwner(world.service)).open('/integrations')
  expect(text).toContain('npm run admin -- create-oauth-client --name Zapier')
  expect(text).toContain(`BASE_URL=${world.service.deps.config.publicUrl} CLIENT_ID=`)
})
