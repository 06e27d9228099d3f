import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { cancelCall } from '../../calls/cancel-call.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../campaigns/campaign-status.ts'
import { editCampaign } from '../../campaigns/edit-campaign.ts'
import { emptyResult } from '../../dialer/attempt-result.ts'
import { claimCalls } from '../../dialer/claim-calls.ts'
import { finishAttempt } from '../../dialer/finish-attempt.ts'
import { startSweeper } from '../../dialer/sweeper.ts'
import { advanceUntilCompleted, getCall, listEvents, seedCall } from '../support/calls.ts'
import { type TestDeps } from '../support/deps.ts'
import { everyHour, freshNumber, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
const eveningHours = { ...everyHour, start: '18:00', end: '20:00' }

it('moves what waits when the hours are edited, to later and to earlier', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  expect(await getCall(world.deps, world.seed, id)).toMatchObject({
    waiting_for: 'calling_hours',
    next_attempt_at: '2026-05-04T22:00:00.000Z',
  })
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, { callingHours: everyHour })
  expect((await getCall(world.deps, world.seed, id)).waiting_for).toBeNull()
  expect(await claimCalls(world.deps, lease, 9)).toHaveLength(1)
})

it('moves what waits by the zone of the campaign when that is edited', async () => {
  const { id } = await seedCall(world.deps, world.seed, '+18005550123')
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
    timeZone: 'Europe/Berlin',
  })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-04T16:00:00.000Z')
})

it('moves every batch of a long queue', async () => {
  await seedCall(world.deps, world.seed, freshNumber())
  await sql`
    with people as (
      insert into contact (workspace_id, phone_number)
      select ${world.seed.workspaceId}, '+1202558' || to_char(index, 'FM0000') from generate_series(1, 450) as index
      returning id, phone_number
    )
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number,
      queued_at, due_at, next_attempt_at)
    select call.workspace_id, call.campaign_id, people.id, call.agent_id, call.phone_number_id, call.from_number,
      people.phone_number, call.queued_at, call.due_at, call.next_attempt_at
    from people, call where call.campaign_id = ${world.seed.campaignId}`.execute(world.deps.db)
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  const calls = await world.deps.db
    .selectFrom('call')
    .select('next_attempt_at')
    .where('campaign_id', '=', world.seed.campaignId)
    .execute()
  expect(calls).toHaveLength(451)
  expect(new Set(calls.map((call) => call.next_attempt_at?.toISOString()))).toEqual(
    new Set(['2026-05-04T22:00:00.000Z']),
  )
})

it('ends a change that a dead process began', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await world.deps.db
    .updateTable('campaign')
    .set({ calling_hours: JSON.stringify(eveningHours), reschedule_after_call_id: 0 })
    .where('id', '=', world.seed.campaignId)
    .execute()
  const archived = await seedWorkspace(world.deps, 'Globex')
  const waiting = await seedCall(world.deps, archived, freshNumber())
  await world.deps.db
    .updateTable('campaign')
    .set({ status: 'archived', reschedule_after_call_id: 0 })
    .where('id', '=', archived.campaignId)
    .execute()
  world.workers.push(startSweeper(world.deps))
  expect(await advanceUntilCompleted(world.deps, archived, waiting.id)).toMatchObject({
    ended_reason: 'campaign_archived',
  })
  expect((await getCall(world.deps, world.seed, id)).waiting_for).toBe('calling_hours')
})

it('waits for a claim under way before it changes the hours', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const claimed = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const claiming = world.deps.db.transaction().execute(async (tx) => {
    const attempts = await claimCalls({ ...world.deps, db: tx }, lease, 9)
    claimed.resolve()
    await commit.promise
    return attempts
  })
  await claimed.promise
  const edited = editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  await waitForLockWaiters(world.deps.db)
  commit.resolve()
  const [attempt] = await claiming
  await edited
  expect(await getCall(world.deps, world.seed, id)).toMatchObject({
    status: 'dialing',
    next_attempt_at: null,
  })
  if (attempt !== undefined) await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
  expect((await getCall(world.deps, world.seed, id)).status).toBe('completed')
})

it('moves what waits when the time zone of the contact changes', async () => {
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  const number = freshNumber()
  const { id } = await seedCall(world.deps, world.seed, number)
  await seedCall(world.deps, world.seed, number, { time_zone: 'America/Los_Angeles' })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-05T01:00:00.000Z')
  await seedCall(world.deps, world.seed, number, { time_zone: null })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-04T22:00:00.000Z')
})

it('completes what waits as canceled when a campaign is archived, and lets calls under way end', async () => {
  const calls = [await seedCall(world.deps, world.seed, freshNumber())]
  const [attempt] = await claimCalls(world.deps, lease, 1)
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
])('lets an archived campaign not be %s', async (_, change) => {
  await archiveCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
  await expect(change(world.deps, world.seed.workspaceId, world.seed.campaignId)).rejects.toMatchObject({
    code: 'campaign_archived',
  })
})

it('changes no campaign of another workspace', async () => {
  await expect(
    pauseCampaign(world.deps, world.seed.workspaceId + 1, world.seed.campaignId),
  ).rejects.toMatchObject({
    code: 'not_found',
  })
})

it('edits the rest of a campaign and leaves out what is left out', async () => {
  const retry = { max_attempts: 2, delay_minutes: 5, on: ['busy' as const] }
  const before = await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    name: 'Spring',
    maxConcurrentCalls: 9,
  })
  const after = await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, { retry })
  expect(before).toMatchObject({ name: 'Spring', max_concurrent_calls: 9 })
  expect(after).toEqual({ ...before, retry })
})

it('tells why a campaign was paused, and keeps the reason when it is paused again', async () => {
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

it('cancels a call that waits, and tells it', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const key = { workspaceId: world.seed.workspaceId, callId: id }
  expect(await cancelCall(world.deps, key)).toBe(true)
  const call = await getCall(world.deps, world.seed, id)
  expect(call).toMatchObject({ outcome: 'canceled', ended_reason: 'canceled_by_user', next_attempt_at: null })
  expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([call])
  expect(await cancelCall(world.deps, key)).toBe(false)
  expect(await listEvents(world.deps, id)).toHaveLength(1)
})

it('cancels no call that is being made, and none of another workspace', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await claimCalls(world.deps, lease, 1)
  expect(await cancelCall(world.deps, { workspaceId: world.seed.workspaceId, callId: id })).toBe(false)
  const otherWorkspaceCancel = cancelCall(world.deps, { workspaceId: world.seed.workspaceId + 1, callId: id })
  await expect(otherWorkspaceCancel).rejects.toMatchObject({ code: 'not_found' })
})
