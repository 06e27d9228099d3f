import { expect, it } from '@jest/globals'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, listCallsOverApi, openTab, seedSignedInOwner } from '../../support/dashboard.ts'
import { completeCall, seedAppCaller } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { useWebhookReceiver } from '../../support/webhooks.ts'

// Tests that span several pages. Each page also has its own test file.

const world = useServiceWorld()
const { receiver, seedSubscription, exhaustDeliveries } = useWebhookReceiver(world)

const listCalls = (key: string) => listCallsOverApi(world.service, key)

it("doesn't show or change another workspace's webhooks, and doesn't show its apps or revoke its API keys", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  const ownSubscription = await seedSubscription(mine)
  const hook = await seedSubscription(theirs, receiver.url('/theirs'))
  await seedAppCaller(world.service.deps, { ...theirs.seed, userId: theirs.userId }, 'their-app')
  await completeCall(world.service.deps, theirs.seed)
  const { id } = await world.database.db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('subscription_id', '=', hook.id)
    .executeTakeFirstOrThrow()
  for (const path of [hook.path, `${hook.path}/rotate`, `/integrations/deliveries/${id}`]) {
    expect((await mine.open(path)).status).toBe(404)
  }
  for (const path of ['/webhooks', '/apps', '/callbacks']) {
    expect((await mine.open(`/integrations${path}`)).html).not.toMatch(/\/theirs|their-app/)
  }
  const page = await mine.open(ownSubscription.path)
  const onTheirs = { ...page, html: page.html.replaceAll(`${ownSubscription.path}/`, `${hook.path}/`) }
  for (const button of ['Send test event', 'Remove subscription']) {
    expect((await mine.browser.press(onTheirs, button)).page.status).toBe(404)
  }
  const keys = await mine.open('/settings/api-keys')
  const onTheirKey = {
    ...keys,
    html: keys.html.replaceAll(`/${ownSubscription.apiKeyId}/revoke`, `/${hook.apiKeyId}/revoke`),
  }
  expect((await mine.browser.press(onTheirKey, 'Revoke key')).page.status).toBe(404)
  expect((await theirs.open(hook.path)).status).toBe(200)
  await exhaustDeliveries(hook.id)
})

itInChromium(
  'lets the user create, copy, and revoke an API key in the browser, on accessible pages',
  async (chromium) => {
    const owner = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, owner)
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.service.url })
    const complaints: string[] = []
    tab.on('console', (message) => complaints.push(message.text()))
    const look = async (path: string) => {
      await tab.goto(owner.urlFor(path))
      await expectAccessible(tab)
    }
    for (const path of ['', '/apps', '/webhooks', '/callbacks', '/callbacks/rotate-secret']) {
      await look(`/integrations${path}`)
    }
    await look('/settings/api-keys')
    await tab.getByRole('link', { name: 'Create API key' }).click()
    await tab.getByLabel('Name').fill('   ')
    await tab.keyboard.press('Enter')
    await tab.locator('#f-name[aria-invalid]').waitFor()
    await expectAccessible(tab)
    complaints.length = 0 // Chromium logs the 422.
    await tab.getByLabel('Name').fill('By hand')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'API key “By hand” created' }).waitFor()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Copy' }).click()
    await tab.getByText('Copied').waitFor()
    const copied = await tab.evaluate<string>('navigator.clipboard.readText()')
    expect((await listCalls(copied)).status).toBe(200)
    await tab.getByRole('link', { name: 'Done' }).click()
    await tab.getByRole('row').filter({ hasText: 'By hand' }).getByRole('button', { name: 'Revoke' }).click()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Revoke key' }).click()
    await tab.getByText('API key “By hand” was revoked.').waitFor()

    await seedAppCaller(world.service.deps, { ...owner.seed, userId: owner.userId }, 'zapier')
    await look('/integrations/apps')
    expect(complaints).toEqual([])
  },
)
