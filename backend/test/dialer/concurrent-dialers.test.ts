import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import type { TelephonyProvider } from '../../calling/telephony/provider.ts'
import { createSimulatedProvider } from '../../calling/telephony/simulated/simulated-provider.ts'
import { connect } from '../../platform/db/connect.ts'
import { cancelCall } from '../../queue/calls/cancel-call.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { seedCall, toCaller } from '../support/calls.ts'
import { doNotCallKey } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { testDeps } from '../support/deps.ts'
import { everyHour, freshNumber, type Seed, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('completes every call once, with exactly one event, even if one of three dialers loses its database connection', async () => {
  const deps = testDeps(database.db)
  const seeds: Seed[] = []
  for (const name of ['Acme', 'Globex']) seeds.push(await seedWorkspace(deps, name))
  const retry = {
    max_attempts: 3,
    delay_minutes: 1,
    on: ['busy' as const, 'failed' as const, 'no_answer' as const],
  }
  const campaigns: Seed[] = []
  for (const seed of seeds)
    for (const name of ['A', 'B'])
      campaigns.push({
        ...seed,
        campaignId: await seedCampaign(deps, { ...seed, name, retry, maxConcurrentCalls: 4 }),
      })

  const proxy = await createDatabaseProxy(database.url)
  const otherDeps = testDeps(connect({ url: proxy.url, max: 3, doNotCallKey }), { clock: deps.clock })
  const leases = { leaseMs: 1_500, heartbeatMs: 100 }
  const liveAttempts = new Set<string>()
  const simulated = createSimulatedProvider(deps.clock, deps.config.simulationSpeed)
  const unreliable: TelephonyProvider = {
    ...simulated,
    dial: (request, listener) => {
      liveAttempts.add(request.attemptId)
      return simulated.dial(request, listener).finally(() => liveAttempts.delete(request.attemptId))
    },
  }
  const dialers = [
    startDialer(deps, leases),
    startDialer(deps, leases),
    startDialer(otherDeps, { ...leases, providers: { real: unreliable, test: unreliable } }),
  ]
  const sweeper = startSweeper(deps)
  let maxLive = 0
  const recordMaxLive = async () => {
    const { rows } = await sql<{ live: number }>`
      select count(*) as live from call_attempt where ended_at is null and not test group by campaign_id`.execute(
      deps.db,
    )
    maxLive = Math.max(maxLive, ...rows.map((row) => row.live))
  }
  const advance = async () => {
    await recordMaxLive()
    deps.clock.advance(200)
  }

  const numbers = Array.from({ length: 25 }, freshNumber)
  const calls: { seed: Seed; id: number }[] = []
  for (const number of numbers) {
    const queued = campaigns.map(async (seed) =>
      calls.push({ seed, id: (await seedCall(deps, seed, number)).id }),
    )
    await Promise.all([...queued, advance()])
  }
  const [first, second, third, fourth] = campaigns
  if (!first || !second || !third || !fourth) throw new Error('invariant: there are four campaigns')
  await waitFor(
    async () => liveAttempts.size > 0,
    () => {
      deps.clock.advance(100)
      dialers[2]?.notify()
    },
  )
  const lost = [...liveAttempts]
  await Promise.all([proxy.disconnect(), otherDeps.db.destroy()])
  await Promise.all([
    pauseCampaign(deps, first.workspaceId, first.campaignId),
    editCampaign(deps, second.workspaceId, second.campaignId, {
      callingHours: { ...everyHour, end: '23:00' },
      maxConcurrentCalls: 2,
    }),
    archiveCampaign(deps, third.workspaceId, third.campaignId),
    seedCall(deps, fourth, numbers[24] ?? '', { do_not_call: true }),
    ...calls.slice(40, 50).map(({ seed, id }) => cancelCall(deps, toCaller(seed), id)),
    advance(),
  ])
  await resumeCampaign(deps, first.workspaceId, first.campaignId)

  const open = () =>
    deps.db
      .selectFrom('call')
      .leftJoin('event', 'event.call_id', 'call.id')
      .select('call.id')
      .where((eb) => eb.or([eb('call.status', '<>', 'completed'), eb('event.id', 'is', null)]))
      .limit(1)
      .executeTakeFirst()
  await waitFor(
    async () => (await open()) === undefined,
    () => deps.clock.advance(200),
    50_000,
  )
  await recordMaxLive()
  await Promise.all([...dialers.map((dialer) => dialer.stop()), sweeper.stop()])

  expect(maxLive).toBeLessThanOrEqual(4)
  const ends = await deps.db
    .selectFrom('call_attempt')
    .select('ended_reason')
    .where('id', 'in', lost)
    .execute()
  expect(new Set(ends.map((attempt) => attempt.ended_reason))).toEqual(new Set(['worker_lost']))
  const events = await deps.db.selectFrom('event').select('call_id').execute()
  const eventCallIds = events.map((event) => event.call_id)
  expect(new Set(eventCallIds).size).toBe(eventCallIds.length)
  expect(calls.filter(({ id }) => !eventCallIds.includes(id))).toEqual([])
  const { rows: redialed } = await sql`
    select lost.call_id from call_attempt as lost join call_attempt as next
      on next.call_id = lost.call_id and next.number > lost.number
    where lost.ended_reason = 'worker_lost'`.execute(deps.db)
  expect(redialed).toEqual([])
  const { rows: atOnce } = await sql`
    select a.id from call_attempt as a join call_attempt as b
      on a.workspace_id = b.workspace_id and a.to_number = b.to_number and a.id <> b.id
    where a.started_at < b.ended_at and b.started_at < a.ended_at`.execute(deps.db)
  expect(atOnce).toEqual([])
}, 60_000)
