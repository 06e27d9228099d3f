import type { ServerResponse } from 'node:http'
import { expect, it } from '@jest/globals'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { replayDeliveries } from '../../../webhooks/outbox.ts'
import { subscribe } from '../../../webhooks/subscriptions.ts'
import { itInChromium } from '../../support/chromium.ts'
import {
  expectAccessible,
  getSecret,
  openTab,
  seedSignedInMember,
  seedSignedInOwner,
  type SignedInUser,
} from '../../support/dashboard.ts'
import { completeCall, seedApiKeyCaller } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { waitForValue } from '../../support/wait.ts'
import { useWebhookReceiver } from '../../support/webhooks.ts'

const world = useServiceWorld()
const { receiver, seedSubscription, deliverUntil, waitUntilSettled, exhaustDeliveries, verified } =
  useWebhookReceiver(world)

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const disable = (id: number) =>
  world.database.db
    .updateTable('webhook_subscription')
    .set({ disabled_at: world.service.deps.clock.now(), failing_since: world.service.deps.clock.now() })
    .where('id', '=', id)
    .execute()

const getSubscriptionRow = (id: number) =>
  world.database.db
    .selectFrom('webhook_subscription')
    .select(['failing_since', 'disabled_at', 'ended_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

it('sends a test event only to the selected subscription, signed and marked as a test', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await seedSubscription(owner, receiver.url('/other'))
  const { page } = await owner.browser.press(await owner.open(hook.path), 'Send test event')
  expect(page.text).toContain('Test event queued')
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
  const api = await createApiKey(world.service.deps, owner.seed.workspaceId, owner.seed.userId, 'Look')
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

it.each([500, 410])(
  "if the receiver responds to a test event with %d, doesn't send it again or count it as a failure of the subscription",
  async (status) => {
    const owner = await seedSignedInOwner(world.service)
    const hook = await seedSubscription(owner)
    receiver.respondWith(status)
    const { page } = await owner.browser.press(await owner.open(hook.path), 'Send test event')
    await deliverUntil(1)
    await waitUntilSettled()
    expect(receiver.requests).toHaveLength(1)
    const { page: delivery } = await owner.browser.open(page.url)
    expect(delivery.text).toContain(`HTTP ${status}`)
    expect(delivery.text).toContain('no retries left')
    expect(delivery.html).not.toContain('/replay')

    const subscription = await owner.open(hook.path)
    expect(subscription.text).toContain('Pending 0 deliveries Failed 0 deliveries')
    expect(subscription.text).not.toMatch(/Failing since|Ended|Send all again/)
    expect((await owner.open('/overview')).text).not.toMatch(/deliver(y|ies)[^.]* fail/)
    const { id } = hook
    expect(await replayDeliveries(world.service.deps, owner.seed.workspaceId, { subscriptionId: id })).toBe(0)
    const row = await getSubscriptionRow(id)
    expect(row).toMatchObject({ failing_since: null, disabled_at: null, ended_at: null })
  },
)

it('neither a successful nor a failed test event changes the state of a failing subscription', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const failingSince = new Date(world.service.deps.clock.now().getTime() - 6 * 86_400_000)
  await world.database.db
    .updateTable('webhook_subscription')
    .set({ failing_since: failingSince })
    .where('id', '=', hook.id)
    .execute()
  await owner.browser.press(await owner.open(hook.path), 'Send test event')
  await deliverUntil(1)
  await waitUntilSettled()
  expect(await getSubscriptionRow(hook.id)).toMatchObject({ failing_since: failingSince, disabled_at: null })
  receiver.respondWith(500)
  await owner.browser.press(await owner.open(hook.path), 'Send test event')
  await deliverUntil(2)
  await waitUntilSettled()
  // One failed event isn't enough to disable a subscription, and a failed test event doesn't count.
  await completeCall(world.service.deps, owner.seed)
  await deliverUntil(3)
  await waitForValue(
    () =>
      world.database.db
        .selectFrom('webhook_delivery')
        .select('attempts')
        .where('subscription_id', '=', hook.id)
        .where('status', '=', 'pending')
        .execute(),
    ([delivery]) => delivery?.attempts === 1,
  )
  expect(await getSubscriptionRow(hook.id)).toMatchObject({ failing_since: failingSince, disabled_at: null })
})

it("creates a test event that matches the subscription's filter by outcome", async () => {
  const owner = await seedSignedInOwner(world.service)
  const caller = await seedApiKeyCaller(world.service.deps, owner.seed)
  const filter = { agent_id: owner.seed.agentId, outcome: ['busy' as const] }
  const body = { target_url: receiver.url(), event: 'call.completed', filter } as const
  const { subscription } = await subscribe(world.service.deps, caller, body)
  const page = await owner.open(`/integrations/webhooks/${subscription.id}`)
  expect(page.text).toContain('Calls: agent “Ava”, busy')
  await owner.browser.press(page, 'Send test event')
  await deliverUntil(1)
  expect(verified(subscription.secret, 0).data).toMatchObject({
    outcome: 'busy',
    transcript: [],
    summary: null,
  })
})

it('creates a test event that matches the filter by goal, and marks it as a test even if the filter excludes test calls', async () => {
  const owner = await seedSignedInOwner(world.service)
  const caller = await seedApiKeyCaller(world.service.deps, owner.seed)
  const filter = { goal_met: false, test: 'exclude' } as const
  const body = { target_url: receiver.url(), event: 'call.completed', filter } as const
  const { subscription } = await subscribe(world.service.deps, caller, body)
  const page = await owner.open(`/integrations/webhooks/${subscription.id}`)
  expect(page.text).toContain('Calls: goal not met, without test calls')
  await owner.browser.press(page, 'Send test event')
  await deliverUntil(1)
  expect(verified(subscription.secret, 0).data).toMatchObject({
    goal_met: false,
    test: true,
    url: expect.stringContaining(`${world.service.url}/w/${owner.seed.workspaceId}/calls/`),
  })
})

it('rejects a test event for a disabled subscription, and can send failed deliveries again after the subscription is enabled', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const page = await owner.open(hook.path)
  const calls = [
    await completeCall(world.service.deps, owner.seed),
    await completeCall(world.service.deps, owner.seed),
  ]
  await exhaustDeliveries(hook.id)
  await disable(hook.id)

  const { page: rejected } = await owner.browser.press(page, 'Send test event')
  expect(rejected.text).toContain('This subscription is disabled, so nothing is sent to it.')
  expect(rejected.text).toContain('Health Disabled')
  const { page: enabled } = await owner.browser.press(rejected, 'Enable')
  expect(enabled.text).toContain('Subscription enabled.')
  expect(enabled.text).toContain('Failed 2 deliveries')

  const { page: replayed } = await owner.browser.press(enabled, 'Send failed deliveries again')
  expect(replayed.text).toContain('Sending 2 deliveries again.')
  await deliverUntil(2)
  const deliveredIds = [verified(hook.secret, 0), verified(hook.secret, 1)].map(({ data }) => data.id).sort()
  expect(deliveredIds).toEqual(calls.map(({ id }) => id).sort())
  await waitUntilSettled()
})

it("rotates a subscription's secret, shows the new one once, and signs the next delivery with the old and the new one", async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const form = await owner.open(`${hook.path}/rotate`)
  const { page } = await owner.browser.press(form, 'Rotate secret')
  const fresh = getSecret(page)
  expect(fresh).toMatch(/^whsec_/)
  expect(fresh).not.toBe(hook.secret)
  const after = await owner.open(hook.path)
  expect(after.html).not.toContain(fresh)
  expect(after.text).toContain('The previous secret also signs deliveries until')
  await completeCall(world.service.deps, owner.seed)
  await deliverUntil(1)
  expect(verified(fresh, 0).id).toBe(verified(hook.secret, 0).id)

  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  expect((await member.open(`${hook.path}/rotate`)).status).toBe(403)
  await waitUntilSettled()
})

it('removes a subscription, and shows its deliveries and who removed it', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await completeCall(world.service.deps, owner.seed)
  const { page } = await owner.browser.press(await owner.open(hook.path), 'Remove subscription')
  expect(page.text).toContain('Subscription removed.')
  expect(page.text).toContain('Ended in the last 30 days')
  const ended = await owner.open(hook.path)
  expect(ended.text).toContain('Unsubscribed by')
  expect(ended.text).toContain('Canceled: unsubscribed')
  expect(ended.text).not.toContain('Send test event')
})

it('when a subscription is removed, notifies Zapier, and shows that Zapier was notified', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const { config, clock } = world.service.deps
  config.zapierHooksOrigin = new URL(receiver.url()).origin
  try {
    const page = await owner.open(hook.path)
    expect(page.text).toContain('Outdial tells Zapier to turn the Zap off.')
    await owner.browser.press(page, 'Remove subscription')
  } finally {
    config.zapierHooksOrigin = undefined
  }
  expect((await owner.open(hook.path)).text).toContain('Outdial will notify Zapier.')
  clock.advance(10_000)
  await deliverUntil(1)
  await waitUntilSettled()
  expect(receiver.requests).toMatchObject([{ method: 'DELETE', path: '/hook' }])
  const ended = await owner.open(hook.path)
  expect(ended.text).toContain('Outdial notified Zapier (HTTP 204)')
})

it('waits for an event that is being sent to a subscription before it confirms that the subscription was removed', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  const { promise: arrived, resolve: setArrived } = Promise.withResolvers<ServerResponse>()
  receiver.respond = (_, response) => setArrived(response)
  await completeCall(world.service.deps, owner.seed)
  await deliverUntil(1)
  const response = await arrived
  const steps: string[] = []

  const page = await owner.open(hook.path)
  const removing = owner.browser.press(page, 'Remove subscription').then(({ page: after }) => {
    steps.push('confirmed')
    return after
  })
  await waitForValue(
    () => getSubscriptionRow(hook.id),
    (row) => row.ended_at !== null,
  )
  // If the removal didn't wait for the event, it would be confirmed before this page is loaded.
  await owner.open('/integrations/webhooks')
  steps.push('responded')
  response.writeHead(204).end()

  expect((await removing).text).toContain('Subscription removed.')
  expect(steps).toEqual(['responded', 'confirmed'])
})

itInChromium('shows the delivery of a test event without a reload', async (chromium) => {
  const owner: SignedInUser & Owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await completeCall(world.service.deps, owner.seed)
  await exhaustDeliveries(hook.id)
  const tab = await openTab(world.service, chromium, owner)
  await tab.goto(owner.urlFor('/integrations/webhooks'))
  await expectAccessible(tab)
  await tab.getByRole('link', { name: hook.target_url }).click()
  await expectAccessible(tab)
  await tab.getByRole('button', { name: 'Send test event' }).click()
  await tab.getByText('None yet.').waitFor()
  await expectAccessible(tab)
  await deliverUntil(1)
  await tab.getByText('HTTP 204').waitFor()
  await expectAccessible(tab)
  await disable(hook.id)
  await tab.goto(owner.urlFor(hook.path))
  await expectAccessible(tab)
})
