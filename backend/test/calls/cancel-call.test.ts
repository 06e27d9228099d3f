import { expect, it } from '@jest/globals'
import { cancelCall } from '../../calls/cancel-call.ts'
import { claimCalls } from '../../dialer/claim-calls.ts'
import { getCall, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { freshNumber } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

it('cancels a queued call and publishes its event', async () => {
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
  await claimCalls(world.deps, lease, 1)
  expect(await cancelCall(world.deps, toCaller(world.seed), id)).toBe(false)
  const otherWorkspaceCancel = cancelCall(
    world.deps,
    { ...toCaller(world.seed), workspaceId: world.seed.workspaceId + 1 },
    id,
  )
  await expect(otherWorkspaceCancel).rejects.toMatchObject({ code: 'not_found' })
})
