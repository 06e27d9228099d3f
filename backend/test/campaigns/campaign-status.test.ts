import { expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { getCall, listEvents, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { type TestDeps } from '../support/deps.ts'
import { freshNumber } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

it('cancels queued calls when a campaign is archived, and lets calls in progress end', async () => {
  const calls = [await seedCall(world.deps, world.seed, freshNumber())]
  const [attempt] = await claimAndSettle(world.deps, lease, 1)
  calls.push(
    await seedCall(world.deps, world.seed, freshNumber()),
    await seedCall(world.deps, world.seed, freshNumber(), { test: true }),
  )
  const campaign = await archiveCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
  expect(campaign.status).toBe('archived')
  const [live, ...waiting] = calls.map((call) => call.id)
  for (const id of waiting) {
    const call = await getCall(world.deps, world.seed, id)
    expect(call).toMatchObject({ outcome: 'canceled', ended_reason: 'campaign_archived', attempts: 0 })
    expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([call])
  }
  if (attempt !== undefined) await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
  expect(await getCall(world.deps, world.seed, live ?? 0)).toMatchObject({ outcome: 'busy' })
})

it.each([
  ['paused', pauseCampaign],
  ['resumed', resumeCampaign],
  ['archived again', archiveCampaign],
  [
    'edited',
    (using: TestDeps, workspaceId: number, campaignId: number) =>
      editCampaign(using, workspaceId, campaignId, { name: 'New' }),
  ],
])('does not allow an archived campaign to be %s', async (_, change) => {
  await archiveCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
  await expect(change(world.deps, world.seed.workspaceId, world.seed.campaignId)).rejects.toMatchObject({
    code: 'campaign_archived',
  })
})

it("does not change another workspace's campaign", async () => {
  await expect(
    pauseCampaign(world.deps, world.seed.workspaceId + 1, world.seed.campaignId),
  ).rejects.toMatchObject({
    code: 'not_found',
  })
})

it("pauses a campaign without waiting for a request that's queueing a call", async () => {
  const { workspaceId, campaignId } = world.seed
  const { id } = await inTransaction(world.deps, async (tx) => {
    const call = await seedCall(tx, world.seed, freshNumber())
    expect(await pauseCampaign(world.deps, workspaceId, campaignId)).toMatchObject({ status: 'paused' })
    return call
  })
  expect(await claimAndSettle(world.deps, lease, 1)).toEqual([])
  await resumeCampaign(world.deps, workspaceId, campaignId)
  expect((await claimAndSettle(world.deps, lease, 1)).map(({ request }) => request.callId)).toEqual([id])
})

it("saves why a campaign was paused, keeps the reason if it's paused again, and clears it when it's resumed", async () => {
  await pauseCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, 'Holiday.')
  expect(await pauseCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)).toMatchObject({
    status: 'paused',
    paused_reason: 'Holiday.',
  })
  expect(await resumeCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)).toMatchObject({
    status: 'active',
    paused_reason: null,
  })
})
