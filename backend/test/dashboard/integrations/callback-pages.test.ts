import { expect, it } from '@jest/globals'
import {
  getSecret,
  seedSignedInMember,
  seedSignedInOwner,
  type SignedInUser,
} from '../../support/dashboard.ts'
import { completeCall } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { useWebhookReceiver } from '../../support/webhooks.ts'

const world = useServiceWorld()
const { receiver, deliverUntil, waitUntilSettled, exhaustDeliveries, verified } = useWebhookReceiver(world)

async function showSecret(owner: SignedInUser, url: string): Promise<string> {
  const form = await owner.open(`/integrations/callbacks/reveal-secret?url=${encodeURIComponent(url)}`)
  const { page } = await owner.browser.press(form, 'Show secret')
  expect(page.headers.get('cache-control')).toBe('no-store')
  return getSecret(page)
}

it('shows owners the signing secret of each origin, and after the secrets are rotated, signs with the old and the new one', async () => {
  const owner = await seedSignedInOwner(world.service)
  const old = await showSecret(owner, receiver.url('/callback'))
  expect(await showSecret(owner, receiver.url('/another'))).toBe(old)
  expect(await showSecret(owner, 'https://another.example.com/callback')).not.toBe(old)
  const rotating = await owner.open('/integrations/callbacks/rotate-secret')
  const { page: rotated } = await owner.browser.press(rotating, 'Rotate secrets')
  expect(rotated.text).toContain('The secrets were rotated.')
  const fresh = await showSecret(owner, receiver.url('/callback'))
  expect(fresh).not.toBe(old)

  await completeCall(world.service.deps, owner.seed, { callbackUrl: receiver.url('/callback') })
  await deliverUntil(1)
  expect(verified(fresh, 0).id).toBe(verified(old, 0).id)
  await waitUntilSettled()
  const page = await owner.open('/integrations/callbacks')
  expect(page.text).toContain(`Show secret for ${new URL(receiver.url()).origin}`)

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

it("doesn't show members the signing secrets", async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const page = await member.open('/integrations/callbacks')
  expect(page.text).toContain('Only workspace owners can see the secrets.')
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

it('can send failed deliveries to callback URLs again', async () => {
  const owner = await seedSignedInOwner(world.service)
  await completeCall(world.service.deps, owner.seed, { callbackUrl: receiver.url('/callback') })
  await exhaustDeliveries(null)
  const page = await owner.open('/integrations/callbacks')
  expect(page.text).toContain('1 delivery failed')
  const { page: after } = await owner.browser.press(page, 'Send failed deliveries again')
  expect(after.text).toContain('Sending 1 delivery again.')
  await deliverUntil(1)
  await waitUntilSettled()
})
