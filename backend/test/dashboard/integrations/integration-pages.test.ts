import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { CallCompletedEvent } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import type { Page } from '../../../../support/browser.ts'
import type { Worker } from '../../../core/worker.ts'
import { createApiKey } from '../../../identity/api-keys.ts'
import { startSender } from '../../../webhooks/sender.ts'
import { subscribe } from '../../../webhooks/subscriptions.ts'
import { itInChromium } from '../../support/chromium.ts'
import {
  expectAccessible,
  openTab,
  seedSignedInMember,
  seedSignedInOwner,
  type SignedInUser,
} from '../../support/dashboard.ts'
import { completeCall, seedApiKeyCaller, seedAppCaller } from '../../support/factories.ts'
import { HttpReceiver } from '../../support/http-receiver.ts'
import { connect, seedApp } from '../../support/oauth.ts'
import { useServiceWorld } from '../../support/service.ts'
import { waitForValue } from '../../support/wait.ts'

let receiver: HttpReceiver
let sender: Worker | undefined
const world = useServiceWorld()
beforeAll(async () => {
  // An independent verifier looks at the timestamps of deliveries.
  world.service.deps.clock.advance(Date.now() - world.service.deps.clock.now().getTime())
})
beforeEach(async () => {
  receiver = new HttpReceiver()
  await receiver.listen()
})
afterEach(async () => {
  await sender?.stop()
  sender = undefined
  await receiver.close()
})

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const listCalls = (key: string) =>
  fetch(`${world.service.url}/api/public/v1/calls/`, { headers: { authorization: `Bearer ${key}` } })

/** A subscription of a new API key of the owner. */
async function seedSubscription(owner: Owner, url = receiver.url()) {
  const caller = await seedApiKeyCaller(world.service.deps, owner.seed)
  const body = { target_url: url, event: 'call.completed' } as const
  const { subscription } = await subscribe(world.service.deps, { ...caller, userId: owner.userId }, body)
  return { ...subscription, apiKeyId: caller.apiKeyId, path: `/integrations/webhooks/${subscription.id}` }
}

const getSecret = (page: Page): string => /id="secret">([^<]+)</.exec(page.html)?.[1] ?? ''

/** Sends what waits, until the receiver has had so much. */
async function deliverUntil(count: number): Promise<void> {
  sender ??= startSender(world.service.deps)
  sender.notify()
  await waitForValue(
    async () => receiver.requests.length,
    (length) => length >= count,
  )
}

/**
 * Until no delivery to this test's receiver waits: what it answered is written down. One of the test before may have
 * been broken off with its sender, and then waits for ever.
 */
const waitUntilSettled = () =>
  waitForValue(
    () =>
      world.database.db
        .selectFrom('webhook_delivery')
        .select('id')
        .where('status', '=', 'pending')
        .where('target_host', '=', new URL(receiver.url()).host)
        .execute(),
    (rows) => rows.length === 0,
  )

const exhaustDeliveries = (subscriptionId: number | null) =>
  world.database.db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null })
    .where('subscription_id', subscriptionId === null ? 'is' : '=', subscriptionId)
    .where('status', '=', 'pending')
    .execute()

const disable = (id: number) =>
  world.database.db
    .updateTable('webhook_subscription')
    .set({ disabled_at: world.service.deps.clock.now(), failing_since: world.service.deps.clock.now() })
    .where('id', '=', id)
    .execute()

const verified = (secret: string, index: number) => {
  const { headers, body } = receiver.requests[index] ?? { headers: {}, body: '' }
  return CallCompletedEvent.parse(new Webhook(secret).verify(body, headers as Record<string, string>))
}

// Keys -----------------------------------------------------------------------------------------------------------

it('shows a new API key on one page and never again', async () => {
  const { browser, open, seed } = await seedSignedInOwner(world.service)
  const form = await open('/settings/api-keys/new')
  const { page } = await browser.press(form, 'Create the key', { name: 'Import <nightly>' })
  const key = getSecret(page)
  expect(key).toMatch(/^odk_/)
  expect(page.url).not.toContain(key)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(browser.cookies().join()).not.toContain(key)
  expect((await listCalls(key)).status).toBe(200)

  const { page: again } = await browser.press(form, 'Create the key', { name: 'Import <nightly>' })
  expect(again.text).toContain('nothing was done twice')
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

it('leads from the former addresses of API keys to the settings', async () => {
  const { browser, open, urlFor } = await seedSignedInOwner(world.service)
  for (const path of ['/api-keys', '/api-keys/new']) {
    const page = await open(`/integrations${path}`)
    expect([page.status, page.url]).toEqual([200, urlFor(`/settings${path}`)])
  }
  const connectPage = await open('/integrations')
  expect(connectPage.html).toContain(`href="${new URL(urlFor('/settings/api-keys')).pathname}"`)
  const form = await open('/settings/api-keys/new')
  const former = { ...form, url: urlFor('/integrations/api-keys/new') }
  const { page } = await browser.press(former, 'Create the key', { name: 'Late' })
  expect([page.status, page.url]).toEqual([200, urlFor('/settings/api-keys/new')])
})

it('wants a name for a key', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const { page } = await browser.press(await open('/settings/api-keys/new'), 'Create the key', {
    name: '',
  })
  expect(page.status).toBe(422)
  expect(page.html).toMatch(/id="f-name-problem"/)
})

it('revokes a key with its subscriptions, and says how many', async () => {
  const owner = await seedSignedInOwner(world.service)
  const { id, key } = await createApiKey(world.service.deps, {
    ...owner.seed,
    userId: owner.seed.userId,
    name: 'Old',
  })
  const caller = { ...(await seedApiKeyCaller(world.service.deps, owner.seed)), apiKeyId: id }
  for (const path of ['/a', '/b']) {
    await subscribe(world.service.deps, caller, { target_url: receiver.url(path), event: 'call.completed' })
  }
  const list = await owner.open('/settings/api-keys')
  expect(list.text).toContain('2 webhook subscriptions of it are removed')
  const { page } = await owner.browser.press(
    { ...list, html: list.html.slice(list.html.indexOf(`revoke-${id}`)) },
    'Revoke the key',
  )
  expect(page.text).toContain('The key “Old” was revoked, and its 2 webhook subscriptions with it.')
  expect((await listCalls(key)).status).toBe(401)
})

it('lets a member revoke keys of their own alone', async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const { workspaceId } = owner.seed
  const theirs = await createApiKey(world.service.deps, { workspaceId, userId: owner.userId, name: 'Theirs' })
  const ownKey = await createApiKey(world.service.deps, { workspaceId, userId: member.userId, name: 'Mine' })
  const list = await member.open('/settings/api-keys')
  expect(list.html).toContain(`/api-keys/${ownKey.id}/revoke`)
  expect(list.html).not.toContain(`/api-keys/${theirs.id}/revoke`)

  const forged = { ...list, html: list.html.replace(`/${ownKey.id}/revoke`, `/${theirs.id}/revoke`) }
  const { page } = await member.browser.press(forged, 'Revoke the key')
  expect(page.status).toBe(403)
  expect((await listCalls(theirs.key)).status).toBe(200)
  const { page: after } = await member.browser.press(list, 'Revoke the key')
  expect(after.text).toContain('The key “Mine” was revoked.')
  expect((await listCalls(ownKey.key)).status).toBe(401)
})

// Apps -----------------------------------------------------------------------------------------------------------

it('shows what a connected app may do and when it was used, and disconnects it', async () => {
  const owner = await seedSignedInOwner(world.service)
  const app = await seedApp(world.service, 'confidential', 'Zap <app>')
  const robin = { userId: owner.userId, email: owner.email, workspaces: {} }
  const { access_token } = await connect(app, robin, 'Acme')
  const before = await owner.open('/integrations/apps')
  expect(before.html).toContain('Zap &lt;app&gt;')
  expect(before.text).toContain('Add and update contacts, and queue calls to them')
  expect(before.text).not.toContain('Create campaigns')
  expect(before.text).toContain('Last used never')

  expect((await listCalls(access_token)).status).toBe(200)
  await waitForValue(
    () => owner.open('/integrations/apps'),
    ({ text }) => !text.includes('Last used never'),
  )

  const { page } = await owner.browser.press(before, 'Disconnect the app')
  expect(page.text).toContain('Zap <app> was disconnected.')
  expect(page.text).toContain('No app is connected.')
  expect((await listCalls(access_token)).status).toBe(401)
})

it('lets a member disconnect nobody else’s app', async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const { seed } = owner
  await seedAppCaller(world.service.deps, { ...seed, userId: owner.userId }, 'theirs')
  await seedAppCaller(world.service.deps, { ...seed, userId: member.userId }, 'mine')
  const list = await member.open('/integrations/apps')
  const ownPath = `/apps/${member.userId}/mine/disconnect`
  expect(list.html).not.toContain(`/apps/${owner.userId}/theirs/disconnect`)
  const forged = { ...list, html: list.html.replace(ownPath, `/apps/${owner.userId}/theirs/disconnect`) }
  expect((await member.browser.press(forged, 'Disconnect the app')).page.status).toBe(403)
  const { page } = await member.browser.press(list, 'Disconnect the app')
  expect(page.text).toContain('mine was disconnected.')
})

// Webhooks -------------------------------------------------------------------------------------------------------

it('sends a test event to one subscription through the outbox, signed and marked', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await seedSubscription(owner, receiver.url('/other'))
  const { page } = await owner.browser.press(await owner.open(hook.path), 'Send it now')
  expect(page.text).toContain('The test event is on its way')
  await deliverUntil(1)
  await waitUntilSettled()

  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook'])
  const event = verified(hook.secret, 0)
  expect(event).toMatchObject({
    id: expect.stringMatching(/^evt_test_/),
    workspace_id: owner.seed.workspaceId,
    data: {
      test: true,
      outcome: 'answered',
      campaign_id: owner.seed.campaignId,
      agent_id: owner.seed.agentId,
    },
  })
  const api = await createApiKey(world.service.deps, { ...owner.seed, name: 'Look' })
  const look = await fetch(`${world.service.url}/api/public/v1/calls/${event.data.id}/`, {
    headers: { authorization: `Bearer ${api.key}` },
  })
  expect(look.status).toBe(404)
  const { page: after } = await owner.browser.open(page.url)
  expect(after.text).toMatch(/Delivered .*HTTP 204/)
  expect(after.text).toContain(`webhook-id: ${event.id}`)
  expect(after.text).toContain(
    `webhook-timestamp: ${String(receiver.requests[0]?.headers['webhook-timestamp'])}`,
  )
  expect(after.html).not.toContain('webhook-signature')
})

it('makes a test event that passes the filter it is for', async () => {
  const owner = await seedSignedInOwner(world.service)
  const caller = await seedApiKeyCaller(world.service.deps, owner.seed)
  const filter = { agent_id: owner.seed.agentId, outcome: ['busy' as const] }
  const body = { target_url: receiver.url(), event: 'call.completed', filter } as const
  const { subscription } = await subscribe(world.service.deps, caller, body)
  const page = await owner.open(`/integrations/webhooks/${subscription.id}`)
  expect(page.text).toContain('Calls: agent “Ava”, busy')
  await owner.browser.press(page, 'Send it now')
  await deliverUntil(1)
  expect(verified(subscription.secret, 0).data).toMatchObject({
    outcome: 'busy',
    transcript: [],
    summary: null,
  })
})

it('sends nothing to a disabled subscription until it is enabled again, then replays what it missed', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const page = await owner.open(hook.path)
  const calls = [
    await completeCall(world.service.deps, owner.seed),
    await completeCall(world.service.deps, owner.seed),
  ]
  await exhaustDeliveries(hook.id)
  await disable(hook.id)

  const { page: rejected } = await owner.browser.press(page, 'Send it now')
  expect(rejected.text).toContain('This subscription is disabled, so nothing is sent to it.')
  expect(rejected.text).toContain('Health Disabled')
  const { page: enabled } = await owner.browser.press(rejected, 'Enable again')
  expect(enabled.text).toContain('The subscription is enabled.')
  expect(enabled.text).toContain('Given up 2 deliveries')

  const { page: replayed } = await owner.browser.press(enabled, 'Replay all that were given up')
  expect(replayed.text).toContain('2 are sent again now.')
  await deliverUntil(2)
  const deliveredIds = [verified(hook.secret, 0), verified(hook.secret, 1)].map(({ data }) => data.id).sort()
  expect(deliveredIds).toEqual(calls.map(({ id }) => id).sort())
  await waitUntilSettled()
})

it('tells every try of a delivery, and sends a dead one again', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await completeCall(world.service.deps, owner.seed)
  receiver.respondWith(500)
  sender = startSender(world.service.deps)
  await waitForValue(
    () => owner.open(hook.path),
    ({ text }) => text.includes('The receiver answered 500'),
  )
  await exhaustDeliveries(hook.id)
  const list = await owner.open(`${hook.path}?status=exhausted`)
  const address = /\/integrations\/deliveries\/\d+/.exec(list.html)?.[0] ?? ''
  const page = await owner.open(address)
  expect(page.text).toMatch(/Given up .*HTTP 500 the receiver answered 500/)
  expect(page.text).toContain('"type": "call.completed"')

  receiver.respondWith(204)
  const { page: again } = await owner.browser.press(page, 'Send it again')
  expect(again.text).toContain('It is sent again now.')
  sender.notify()
  await waitUntilSettled()
  const after = await owner.open(address)
  expect(after.text).toMatch(/Delivered .*2 HTTP 204 .*1 HTTP 500/)
})

it('pages through deliveries in both directions without a gap', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  for (let index = 0; index < 120; index += 1) await completeCall(world.service.deps, owner.seed)
  await exhaustDeliveries(hook.id)
  const idsOn = ({ html }: Page) => [...html.matchAll(/deliveries\/(\d+)"/g)].map(([, id]) => Number(id))
  const follow = async ({ html }: Page, rel: 'next' | 'prev') => {
    const address = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll('&amp;', '&')
    return (await owner.browser.open(new URL(address ?? '', world.service.url).href)).page
  }
  const first = await owner.open(`${hook.path}?status=exhausted`)
  const second = await follow(first, 'next')
  const third = await follow(second, 'next')
  const all = [first, second, third].flatMap(idsOn)
  expect(all).toHaveLength(120)
  expect(all).toEqual([...new Set(all)].sort((a, b) => b - a))
  expect(idsOn(third)).toHaveLength(20)
  expect(third.html).not.toContain('rel="next"')
  expect(idsOn(await follow(third, 'prev'))).toEqual(idsOn(second))
  expect(idsOn(await follow(await follow(third, 'prev'), 'prev'))).toEqual(idsOn(first))
})

it('rotates a secret, shows the new one once, and signs with both for a day', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const form = await owner.open(`${hook.path}/rotate`)
  const { page } = await owner.browser.press(form, 'Rotate the secret')
  const fresh = getSecret(page)
  expect(fresh).toMatch(/^whsec_/)
  expect(fresh).not.toBe(hook.secret)
  const after = await owner.open(hook.path)
  expect(after.html).not.toContain(fresh)
  expect(after.text).toContain('The one before signs too until')
  await completeCall(world.service.deps, owner.seed)
  await deliverUntil(1)
  expect(verified(fresh, 0).id).toBe(verified(hook.secret, 0).id)

  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  expect((await member.open(`${hook.path}/rotate`)).status).toBe(403)
  await waitUntilSettled()
})

it('removes a subscription', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const { page } = await owner.browser.press(await owner.open(hook.path), 'Remove the subscription')
  expect(page.text).toContain('The subscription was removed.')
  expect((await owner.open(hook.path)).status).toBe(404)
})

// Callback URLs --------------------------------------------------------------------------------------------------

it('shows the signing secret of the workspace to owners, and rotates it with a day’s overlap', async () => {
  const owner = await seedSignedInOwner(world.service)
  const form = await owner.open('/integrations/callbacks/reveal-secret')
  const { page } = await owner.browser.press(form, 'Show the secret')
  const old = getSecret(page)
  expect(page.headers.get('cache-control')).toBe('no-store')
  const rotating = await owner.open('/integrations/callbacks/rotate-secret')
  const { page: rotated } = await owner.browser.press(rotating, 'Rotate the secret')
  const fresh = getSecret(rotated)
  expect(fresh).not.toBe(old)
  const { page: shown } = await owner.browser.press(form, 'Show the secret')
  expect(getSecret(shown)).toBe(fresh)

  await completeCall(world.service.deps, owner.seed, { callbackUrl: receiver.url('/callback') })
  await deliverUntil(1)
  expect(verified(fresh, 0).id).toBe(verified(old, 0).id)
  await waitUntilSettled()

  await world.database.db
    .updateTable('workspace')
    .set({ previous_webhook_secret_until: world.service.deps.clock.now() })
    .where('id', '=', owner.seed.workspaceId)
    .execute()
  await completeCall(world.service.deps, owner.seed, { callbackUrl: receiver.url('/callback') })
  await deliverUntil(2)
  expect(verified(fresh, 1).type).toBe('call.completed')
  expect(() => verified(old, 1)).toThrow('No matching signature')
  await waitUntilSettled()
})

it('shows the signing secret to no member', async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const page = await member.open('/integrations/callbacks')
  expect(page.text).toContain('An owner of the workspace can show it.')
  for (const what of ['reveal-secret', 'rotate-secret']) {
    expect((await member.open(`/integrations/callbacks/${what}`)).status).toBe(403)
    const forged = {
      ...page,
      html: page.html.replaceAll(
        'action="/sign-out"',
        `action="${member.urlFor(`/integrations/callbacks/${what}`)}"`,
      ),
    }
    const { page: rejected } = await member.browser.press(forged, 'Sign out')
    expect(rejected.status).toBe(403)
    expect(getSecret(rejected)).toBe('')
  }
})

it('replays dead deliveries to callback URLs', async () => {
  const owner = await seedSignedInOwner(world.service)
  await completeCall(world.service.deps, owner.seed, { callbackUrl: receiver.url('/callback') })
  await exhaustDeliveries(null)
  const page = await owner.open('/integrations/callbacks')
  expect(page.text).toContain('1 delivery was given up')
  const { page: after } = await owner.browser.press(page, 'Replay all that were given up')
  expect(after.text).toContain('It is sent again now.')
  await deliverUntil(1)
  await waitUntilSettled()
})

it('shows nothing of another workspace, and changes nothing in it', async () => {
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
  for (const button of ['Send it now', 'Remove the subscription']) {
    expect((await mine.browser.press(onTheirs, button)).page.status).toBe(404)
  }
  const keys = await mine.open('/settings/api-keys')
  const onTheirKey = {
    ...keys,
    html: keys.html.replaceAll(`/${ownSubscription.apiKeyId}/revoke`, `/${hook.apiKeyId}/revoke`),
  }
  expect((await mine.browser.press(onTheirKey, 'Revoke the key')).page.status).toBe(404)
  expect((await theirs.open(hook.path)).status).toBe(200)
  await exhaustDeliveries(hook.id)
})

itInChromium('is used by hand, by people with and without sight', async (chromium) => {
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
  await tab.getByRole('link', { name: 'Create a key' }).click()
  await tab.getByLabel('Name').fill('   ')
  await tab.keyboard.press('Enter')
  await tab.locator('#f-name[aria-invalid]').waitFor()
  await expectAccessible(tab)
  complaints.length = 0 // Chromium notes the 422
  await tab.getByLabel('Name').fill('By hand')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { name: 'The key “By hand” is ready' }).waitFor()
  await expectAccessible(tab)
  await tab.getByRole('button', { name: 'Copy' }).click()
  await tab.getByText('Copied').waitFor()
  const copied = await tab.evaluate<string>('navigator.clipboard.readText()')
  expect((await listCalls(copied)).status).toBe(200)
  await tab.getByRole('link', { name: 'I have it' }).click()
  await tab.getByRole('row').filter({ hasText: 'By hand' }).getByRole('button', { name: 'Revoke' }).click()
  await expectAccessible(tab)
  await tab.getByRole('button', { name: 'Revoke the key' }).click()
  await tab.getByText('The key “By hand” was revoked.').waitFor()

  await seedAppCaller(world.service.deps, { ...owner.seed, userId: owner.userId }, 'zapier')
  await look('/integrations/apps')
  expect(complaints).toEqual([])
})

itInChromium('follows a test event until the receiver has answered, without a reload', async (chromium) => {
  const owner: SignedInUser & Owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await completeCall(world.service.deps, owner.seed)
  await exhaustDeliveries(hook.id)
  const tab = await openTab(world.service, chromium, owner)
  await tab.goto(owner.urlFor('/integrations/webhooks'))
  await expectAccessible(tab)
  await tab.getByRole('link', { name: hook.target_url }).click()
  await expectAccessible(tab)
  await tab.getByRole('button', { name: 'Send a test event' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Send it now' }).click()
  await tab.getByText('None yet.').waitFor()
  await expectAccessible(tab)
  await deliverUntil(1)
  await tab.getByText('HTTP 204').waitFor()
  await expectAccessible(tab)
  await disable(hook.id)
  await tab.goto(owner.urlFor(hook.path))
  await expectAccessible(tab)
})
