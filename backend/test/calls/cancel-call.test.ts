import { expect, it } from '@jest/globals'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { cancelCall, cancelCallsToContact } from '../../queue/calls/cancel-call.ts'
import { getCall, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { createTestProvider } from '../support/telephony-provider.ts'
import { waitUntil } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

it('cancels a queued call once, and publishes one event', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const caller = toCaller(world.seed)
  expect(await cancelCall(world.deps, caller, id)).toBe(true)
  const call = await getCall(world.deps, world.seed, id)
  expect(call).toMatchObject({ outcome: 'canceled', ended_reason: 'canceled_by_user', next_attempt_at: null })
  expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([call])
  expect(await cancelCall(world.deps, caller, id)).toBe(false)
  expect(await listEvents(world.deps, id)).toHaveLength(1)
})

it("does not cancel a call that is being dialed, or another workspace's call", async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await claimAndSettle(world.deps, lease, 1)
  expect(await cancelCall(world.deps, toCaller(world.seed), id)).toBe(false)
  const otherWorkspaceCancel = cancelCall(
    world.deps,
    { ...toCaller(world.seed), workspaceId: world.seed.workspaceId + 1 },
    id,
  )
  await expect(otherWorkspaceCancel).rejects.toMatchObject({ code: 'not_found' })
})

it('never dials a call that a response lists as canceled, even while a busy dialer claims 1,000 calls', async () => {
  const { deps, seed, workers } = world
  const campaignIds = [seed.campaignId]
  while (campaignIds.length < 5)
    campaignIds.push(await seedCampaign(deps, { ...seed, maxConcurrentCalls: 5 }))
  const numbers = Array.from({ length: 200 }, freshNumber)
  const queued = new Set<number>()
  for (const campaignId of campaignIds) {
    // In groups of 20: if all were queued at once, the last ones would wait too long for one of the few connections.
    for (let first = 0; first < numbers.length; first += 20) {
      const some = numbers.slice(first, first + 20)
      const calls = some.map((number) => seedCall(deps, { ...seed, campaignId }, number))
      for (const { id } of await Promise.all(calls)) queued.add(id)
    }
  }
  expect(queued.size).toBe(1_000)

  const dialed: number[] = []
  const provider = createTestProvider({
    dial: async ({ callId }) => {
      dialed.push(callId)
      return { outcome: 'busy' }
    },
  })
  const dialer = startDialer(deps, { providers: { real: provider, test: provider } })
  workers.push(dialer)
  const canceled = new Set<number>()
  const cancel = async (number: string) => {
    const response = await cancelCallsToContact(deps, toCaller(seed), { phone_number: number })
    for (const id of response.canceled) canceled.add(id)
  }
  await waitUntil(() => dialed.length > 0)
  // Starts with the numbers that the dialer claims last, so that some calls are dialed and some are canceled.
  for (let left = numbers.toReversed(); left.length > 0; left = left.slice(8))
    await Promise.all(left.slice(0, 8).map(cancel))
  await waitUntil(() => new Set([...dialed, ...canceled]).size === queued.size)
  await dialer.stop()

  expect(canceled.size).toBeGreaterThan(0)
  expect(dialed.filter((id) => canceled.has(id))).toEqual([])
  expect(new Set(dialed).size).toBe(dialed.length)
})
