import { afterEach, expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import type { Worker } from '../../../platform/core/worker.ts'
import { startSender } from '../../../webhooks/sender.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { completeCall } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { waitForValue } from '../../support/wait.ts'
import { useWebhookReceiver } from '../../support/webhooks.ts'

let sender: Worker | undefined
const world = useServiceWorld()
// This hook must run before the receiver's hook. Jest runs these hooks in registration order.
afterEach(async () => {
  await sender?.stop()
  sender = undefined
})
const { receiver, seedSubscription, waitUntilSettled, exhaustDeliveries } = useWebhookReceiver(world)

it('shows every delivery attempt, and replays an exhausted delivery', async () => {
  const owner = await seedSignedInOwner(world.service)
  const hook = await seedSubscription(owner)
  await completeCall(world.service.deps, owner.seed)
  receiver.respondWith(500)
  sender = startSender(world.service.deps)
  await waitForValue(
    () => owner.open(hook.path),
    ({ text }) => text.includes('The receiver responded with status 500'),
  )
  await exhaustDeliveries(hook.id)
  const list = await owner.open(`${hook.path}?status=exhausted`)
  const address = /\/integrations\/deliveries\/\d+/.exec(list.html)?.[0] ?? ''
  const page = await owner.open(address)
  expect(page.text).toMatch(/Failed – no retries left .*HTTP 500 The receiver responded with status 500\./)
  expect(page.text).toContain('"type": "call.completed"')

  receiver.respondWith(204)
  const { page: again } = await owner.browser.press(page, 'Send again')
  expect(again.text).toContain('Sending 1 delivery again.')
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
