import { expect, it } from '@jest/globals'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

it('edits a campaign and keeps the values of omitted settings', async () => {
  const retry = { max_attempts: 2, delay_minutes: 5, on: ['busy' as const] }
  const before = await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    name: 'Spring',
    maxConcurrentCalls: 9,
  })
  const after = await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, { retry })
  expect(before).toMatchObject({ name: 'Spring', max_concurrent_calls: 9 })
  expect(after).toEqual({ ...before, retry })
})
