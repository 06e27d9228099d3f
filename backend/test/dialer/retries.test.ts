import { describe, expect, it } from '@jest/globals'
import type { RetryPolicy } from '@outdial/contract'
import { type AttemptResult, emptyResult } from '../../calling/dialer/attempt-result.ts'
import { type ClaimedAttempt, claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { advanceUntilCompleted, getCall, listAttempts, listEvents, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const day = 24 * 3_600_000
const policy: RetryPolicy = { max_attempts: 3, delay_minutes: 60, on: ['busy', 'failed'] }
const busy = emptyResult('busy', 'line_busy')
const providerFailed = emptyResult('failed', 'line_failed')
const lease = () => ({ provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 })
const claimOne = async (): Promise<ClaimedAttempt> => {
  const [attempt] = await claimAndSettle(world.deps, lease(), 1)
  if (attempt === undefined) throw new Error('there was nothing to claim')
  return attempt
}
const queueRetrying = async (input = {}, retry = policy) => {
  const campaignId = await seedCampaign(world.deps, { ...world.seed, retry })
  return {
    campaignId,
    ...(await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId, ...input })),
  }
}
const getCampaign = (id: number) =>
  world.deps.db.selectFrom('campaign').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
/** Makes `count` consecutive attempts in the seed's campaign, and ends each with the given result. */
const endConsecutively = async (count: number, end: AttemptResult) => {
  for (let index = 0; index < count; index += 1) {
    await seedCall(world.deps, world.seed, freshNumber())
    await finishAttempt(world.deps, await claimOne(), end)
  }
}

describe('when an attempt ends', () => {
  it('retries a busy call until no attempts are left, and then completes the call with the last outcome', async () => {
    const campaignId = await seedCampaign(world.deps, { ...world.seed, retry: policy })
    world.workers.push(startDialer(world.deps))
    const { id } = await seedCall(world.deps, world.seed, '+12025550102', { campaign_id: campaignId })
    let waits = false
    const call = await waitFor(
      async () => {
        const now = await getCall(world.deps, world.seed, id)
        waits = now.waiting_for === 'retry'
        return now.status === 'completed' && now
      },
      () => world.deps.clock.advance(waits ? 30_000 : 100),
    )
    expect(call).toMatchObject({ outcome: 'busy', attempts: 3 })
    const attempts = await listAttempts(world.deps, id)
    expect(attempts.map((attempt) => [attempt.number, attempt.outcome])).toEqual([
      [1, 'busy'],
      [2, 'busy'],
      [3, 'busy'],
    ])
    // With SIMULATION_SPEED=10, the time between attempts is six minutes.
    const [first, second] = attempts
    const pause = (second?.started_at.getTime() ?? 0) - (first?.ended_at?.getTime() ?? 0)
    expect(pause).toBeGreaterThanOrEqual(6 * 60_000)
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })

  it('does not retry the call if its outcome is not in the retry policy', async () => {
    const { id } = await queueRetrying()
    await finishAttempt(world.deps, await claimOne(), emptyResult('declined', 'contact_declined'))
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      status: 'completed',
      outcome: 'declined',
    })
  })

  it('does not retry the call if its number was added to the do-not-call list in the meantime', async () => {
    const { id, to_number } = await queueRetrying()
    const attempt = await claimOne()
    await seedCall(world.deps, world.seed, to_number, { do_not_call: true })
    await finishAttempt(world.deps, attempt, busy)
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      outcome: 'suppressed',
      ended_reason: 'do_not_call',
    })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })

  it('does not retry the call if its campaign was archived in the meantime', async () => {
    const { id, campaignId } = await queueRetrying()
    const attempt = await claimOne()
    await archiveCampaign(world.deps, world.seed.workspaceId, campaignId)
    await finishAttempt(world.deps, attempt, busy)
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      outcome: 'busy',
      ended_reason: 'line_busy',
    })
  })
})

describe('calls that wait too long', () => {
  it('expire if they had no attempt within seven days of becoming due', async () => {
    const campaign = { ...world.seed }
    await pauseCampaign(world.deps, campaign.workspaceId, campaign.campaignId)
    const inTwoDays = new Date(world.deps.clock.now().getTime() + 2 * day).toISOString()
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const scheduled = await seedCall(world.deps, world.seed, freshNumber(), { scheduled_at: inTwoDays })
    world.deps.clock.advance(7 * day)
    world.workers.push(startSweeper(world.deps))
    expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
      outcome: 'expired',
      ended_reason: 'not_attempted_in_time',
      attempts: 0,
    })
    expect((await getCall(world.deps, world.seed, scheduled.id)).status).toBe('queued')
    world.deps.clock.advance(2 * day)
    expect(await advanceUntilCompleted(world.deps, world.seed, scheduled.id, 1_000)).toMatchObject({
      outcome: 'expired',
    })
  })

  it('keep their last outcome if they were waiting for a retry', async () => {
    const { id, campaignId } = await queueRetrying()
    await finishAttempt(world.deps, await claimOne(), busy)
    await pauseCampaign(world.deps, world.seed.workspaceId, campaignId)
    world.deps.clock.advance(8 * day)
    world.workers.push(startSweeper(world.deps))
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'busy', ended_reason: 'line_busy', attempts: 1 })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })
})

describe('provider failures', () => {
  it('pause a campaign after 20 in a row; resuming the campaign clears their count and the reason for the pause', async () => {
    await endConsecutively(19, providerFailed)
    expect(await getCampaign(world.seed.campaignId)).toMatchObject({
      status: 'active',
      provider_failures: 19,
    })
    await endConsecutively(1, providerFailed)
    const paused = await getCampaign(world.seed.campaignId)
    expect(paused).toMatchObject({
      status: 'paused',
      paused_reason: expect.stringMatching(/agent runtime failed 20 times in a row/),
    })
    const { waiting_for } = await seedCall(world.deps, world.seed, freshNumber())
    expect(waiting_for).toBe('campaign_paused')
    await resumeCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
    expect(await getCampaign(world.seed.campaignId)).toMatchObject({
      status: 'active',
      paused_reason: null,
      provider_failures: 0,
    })
  })

  it('are counted only on real calls, and start at zero again after a busy call', async () => {
    await endConsecutively(19, providerFailed)
    await endConsecutively(1, emptyResult('failed', 'worker_lost'))
    expect(await getCampaign(world.seed.campaignId)).toMatchObject({
      status: 'active',
      provider_failures: 19,
    })
    await seedCall(world.deps, world.seed, freshNumber(), { test: true })
    const [test] = await claimTestCalls(world.deps, lease(), 1)
    if (test !== undefined) await finishAttempt(world.deps, test, providerFailed)
    expect(await getCampaign(world.seed.campaignId)).toMatchObject({
      status: 'active',
      provider_failures: 19,
    })
    await endConsecutively(1, busy)
    await endConsecutively(1, providerFailed)
    expect(await getCampaign(world.seed.campaignId)).toMatchObject({ status: 'active', provider_failures: 1 })
  })

  it('pause the campaign if 20 attempts fail at the same time', async () => {
    const wide = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 30 })
    for (let index = 0; index < 20; index += 1)
      await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: wide })
    const attempts = await claimAndSettle(world.deps, lease(), 50)
    expect(attempts).toHaveLength(20)
    await Promise.all(attempts.map((attempt) => finishAttempt(world.deps, attempt, providerFailed)))
    expect((await getCampaign(wide)).status).toBe('paused')
  })
})
