import { expect, it } from '@jest/globals'
import { getSecret, seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { completeCall } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { useWebhookReceiver } from '../../support/webhooks.ts'

const world = useServiceWorld()
const { receiver, deliverUntil, waitUntilSettled, exhaustDeliveries, verified } = useWebhookReceiver(world)

it("shows owners the workspace's signing secret, and signs with the old and new secrets after rotation", async () => {
  const owner = await seedSignedInOwner(world.service)
  const form = await owner.open('/integrations/callbacks/reveal-secret')
  const { page } = await owner.browser.press(form, 'Show secret')
  const old = getSecret(page)
  expect(page.headers.get('cache-control')).toBe('no-store')
  const rotating = await owner.open('/integrations/callbacks/rotate-secret')
  const { page: rotated } = await owner.browser.press(rotating, 'Rotate secret')
  const fresh = getSecret(rotated)
  expect(fresh).not.toBe(old)
  const { page: shown } = await owner.browser.press(form, 'Show secret')
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

it("doesn't show members the signing secret", async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const page = await member.open('/integrations/callbacks')
  expect(page.text).toContain('Only workspace owners can see the secret.')
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

it('replays exhausted deliveries to callback URLs', async () => {
  const owner = await seedSignedInOwner(world.service)
  await completeCall(world.service.deps, owner.seed, { callbackUrl: receiver.url('/callback') })
  await exhaustDeliveries(null)
  const page = await owner.open('/integrations/callbacks')
  expect(page.text).toContain('1 delivery failed')
  const { page: after } = await owner.browser.press(page, 'Replay failed deliveries')
  expect(after.text).toContain('Replaying 1 delivery.')
  await deliverUntil(1)
  await waitUntilSettled()
})
