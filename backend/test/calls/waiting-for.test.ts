import { describe, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { type ClaimedAttempt, claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { setAgentStatus } from '../../queue/agents/agents.ts'
import { pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { retirePhoneNumber } from '../../queue/phone-numbers/phone-numbers.ts'
import { getCall, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, seedAgent, seedCampaign, seedPhoneNumber } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
const claim = (capacity = 50): Promise<ClaimedAttempt[]> => claimAndSettle(world.deps, lease, capacity)
const getWaitingFor = async (id: number) => (await getCall(world.deps, world.seed, id)).waiting_for
const inAnHour = () => new Date(world.deps.clock.now().getTime() + 3_600_000).toISOString()

describe('a call that can be made now', () => {
  it("waits for nothing, both before it's dialed and while it's dialed", async () => {
    const { id, waiting_for } = await seedCall(world.deps, world.seed, freshNumber())
    expect(waiting_for).toBeNull()
    await claim()
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({ status: 'dialing', waiting_for: null })
  })

  it("ignores calling hours and concurrency limits if it's a test call", async () => {
    const closed = { days: ['sun' as const], start: '09:00', end: '10:00' }
    const campaignId = await seedCampaign(world.deps, {
      ...world.seed,
      callingHours: closed,
      maxConcurrentCalls: 1,
    })
    const number = freshNumber()
    const { waiting_for } = await seedCall(world.deps, world.seed, number, {
      campaign_id: campaignId,
      test: true,
    })
    expect(waiting_for).toBeNull()
    await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId, test: true })
    expect(await claimTestCalls(world.deps, lease, 9)).toHaveLength(2)
  })
})

describe('a call at a later time', () => {
  it('waits for its scheduled time', async () => {
    const { id, waiting_for, next_attempt_at } = await seedCall(world.deps, world.seed, freshNumber(), {
      scheduled_at: inAnHour(),
    })
    expect({ waiting_for, next_attempt_at }).toEqual({ waiting_for: 'schedule', next_attempt_at: inAnHour() })
    expect(await claim()).toEqual([])
    world.deps.clock.advance(3_600_000)
    expect(await getWaitingFor(id)).toBeNull()
    expect(await claim()).toHaveLength(1)
  })

  it('waits for calling hours', async () => {
    const campaignId = await seedCampaign(world.deps, {
      ...world.seed,
      callingHours: { days: ['mon'], start: '18:00', end: '20:00' },
    })
    const call = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    expect(call).toMatchObject({ waiting_for: 'calling_hours', next_attempt_at: '2026-05-04T22:00:00.000Z' })
    expect(await claim()).toEqual([])
  })

  it('waits for its retry, and then for calling hours', async () => {
    const campaignId = await seedCampaign(world.deps, {
      ...world.seed,
      callingHours: { days: ['mon', 'tue'], start: '09:00', end: '11:03' },
      retry: { max_attempts: 2, delay_minutes: 60, on: ['busy'] },
    })
    const { id } = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    const [attempt] = await claim()
    if (attempt !== undefined) await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    // With SIMULATION_SPEED=10, the retry is due after six minutes. Calling hours end before that.
    const waiting = { waiting_for: 'retry', next_attempt_at: '2026-05-05T13:00:00.000Z', attempts: 1 }
    expect(await getCall(world.deps, world.seed, id)).toMatchObject(waiting)
    world.deps.clock.advance(6 * 60_000)
    expect(await getWaitingFor(id)).toBe('calling_hours')
  })
})

describe('a call while other calls are in progress', () => {
  it('waits while its campaign is at the limit of concurrent calls', async () => {
    const campaignId = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 1 })
    await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    const second = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    const [first] = await claim()
    expect(await getWaitingFor(second.id)).toBe('concurrency')
    expect(await claim()).toEqual([])
    if (first !== undefined) await finishAttempt(world.deps, first, emptyResult('busy', 'line_busy'))
    expect(await getWaitingFor(second.id)).toBeNull()
    expect(await claim()).toHaveLength(1)
  })

  it('waits while another campaign is calling the number', async () => {
    const number = freshNumber()
    const other = await seedCampaign(world.deps, { ...world.seed, name: 'Other' })
    const first = await seedCall(world.deps, world.seed, number)
    const second = await seedCall(world.deps, world.seed, number, { campaign_id: other })
    const [attempt, ...more] = await claim()
    expect(more).toEqual([])
    const waiting = attempt?.request.callId === first.id ? second : first
    expect(await getWaitingFor(waiting.id)).toBe('concurrency')
  })
})

describe('a call of an inactive campaign, agent, or number', () => {
  it('waits for a paused campaign, and is claimed once the campaign is resumed', async () => {
    await pauseCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    expect(await getWaitingFor(id)).toBe('campaign_paused')
    expect(await claim()).toEqual([])
    await resumeCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
    expect(await getWaitingFor(id)).toBeNull()
    expect(await claim()).toHaveLength(1)
  })

  it.each(['real', 'test'])('waits for an agent that is not Live (%s calls)', async (kind) => {
    await setAgentStatus(world.deps, world.seed.workspaceId, world.seed.agentId, 'paused')
    const { id } = await seedCall(world.deps, world.seed, freshNumber(), { test: kind === 'test' })
    expect(await getWaitingFor(id)).toBe('agent_not_live')
    expect([...(await claim()), ...(await claimTestCalls(world.deps, lease, 9))]).toEqual([])
    await setAgentStatus(world.deps, world.seed.workspaceId, world.seed.agentId, 'live')
    expect(await getWaitingFor(id)).toBeNull()
  })

  it('waits for a retired number', async () => {
    await retirePhoneNumber(world.deps, world.seed.workspaceId, world.seed.phoneNumberId)
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    expect(await getWaitingFor(id)).toBe('number_not_active')
    expect(await claim()).toEqual([])
  })
})

describe('a status change', () => {
  it("of an agent is rejected if it's invalid or if the agent belongs to another workspace", async () => {
    const agentId = await seedAgent(world.deps, world.seed.workspaceId, { status: 'draft' })
    await expect(setAgentStatus(world.deps, world.seed.workspaceId, agentId, 'paused')).rejects.toMatchObject(
      {
        code: 'validation_failed',
      },
    )
    await setAgentStatus(world.deps, world.seed.workspaceId, agentId, 'live')
    await expect(setAgentStatus(world.deps, world.seed.workspaceId, agentId, 'draft')).rejects.toMatchObject({
      code: 'validation_failed',
    })
    await expect(
      setAgentStatus(world.deps, world.seed.workspaceId + 1, agentId, 'paused'),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it("can't retire another workspace's number", async () => {
    const phoneNumberId = await seedPhoneNumber(world.deps, world.seed.workspaceId)
    const retiring = retirePhoneNumber(world.deps, world.seed.workspaceId + 1, phoneNumberId)
    await expect(retiring).rejects.toMatchObject({ code: 'not_found' })
  })
})
