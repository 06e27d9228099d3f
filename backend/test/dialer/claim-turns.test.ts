import { beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { newDialerTurns } from '../../calling/dialer/claim-store.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, type Seed, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

// In these tests, more campaigns wait than a dialer compares. Their workspaces must still take turns.

const world = useCallsWorld()
const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

// Campaigns of earlier tests have no calls left. This claim removes them from the queue.
beforeEach(async () => {
  expect(await claimAndSettle(world.deps, lease, 1)).toEqual([])
})

/** Adds campaigns with calls that are due. */
async function addCampaigns(owner: Seed, { count, calls }: { count: number; calls: number }): Promise<void> {
  const { db, clock } = world.deps
  const model = await seedCampaign(world.deps, { ...owner, maxConcurrentCalls: calls })
  await sql`
    with added as (
      insert into campaign (workspace_id, name, status, agent_id, phone_number_id, time_zone, calling_hours,
        max_concurrent_calls, retry)
      select workspace_id, name || ' ' || n, status, agent_id, phone_number_id, time_zone, calling_hours,
        max_concurrent_calls, retry
      from campaign cross join generate_series(1, ${count}::int) as n
      where id = ${model}
      returning *
    ), callee as (
      insert into contact (workspace_id, phone_number)
      select ${owner.workspaceId}, ${freshNumber()} || n
      from generate_series(1000, ${999 + count * calls}::int) as n
      returning *
    ), pair as (
      select campaign.id as campaign_id, campaign.agent_id, campaign.phone_number_id, callee.*
      from (select *, row_number() over (order by id) - 1 as position from added) as campaign
      join (select *, row_number() over (order by id) - 1 as position from callee) as callee
        on callee.position % ${count}::int = campaign.position
    )
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number,
      queued_at, due_at, next_attempt_at)
    select workspace_id, campaign_id, id, agent_id, phone_number_id, '+12025550199', phone_number, at, at, at
    from pair cross join (select ${clock.now()}::timestamptz as at) as now
    order by campaign_id`.execute(db)
}

it('gives a workspace with one campaign every second turn when the other workspace has hundreds of campaigns', async () => {
  const other = await seedWorkspace(world.deps, 'Globex')
  expect(await claimAndSettle(world.deps, lease, 1)).toEqual([])
  await addCampaigns(world.seed, { count: 300, calls: 1 })
  await addCampaigns(other, { count: 1, calls: 20 })
  const turns: number[] = []
  for (let turn = 0; turn < 20; turn += 1)
    turns.push(...(await claimAndSettle(world.deps, lease, 1)).map((attempt) => attempt.workspaceId))
  expect(turns).toHaveLength(20)
  const count = turns.filter((workspaceId) => workspaceId === other.workspaceId).length
  // Not always exactly 10: a campaign without a call can also take a turn.
  expect(count).toBeGreaterThanOrEqual(9)
  expect(count).toBeLessThanOrEqual(11)
})

it('gives every workspace a turn even if more workspaces are waiting than a dialer looks at in one claim', async () => {
  const others: Seed[] = []
  for (let count = 0; count < 70; count += 1) others.push(await seedWorkspace(world.deps, `Globex ${count}`))
  await addCampaigns(world.seed, { count: 300, calls: 1 })
  for (const other of others) await addCampaigns(other, { count: 1, calls: 4 })
  const turns = newDialerTurns()
  const served = new Set<number>()
  for (let round = 0; round < 20; round += 1)
    for (const { workspaceId } of await claimAndSettle(world.deps, lease, 10, turns)) served.add(workspaceId)
  expect(served.size).toBe(71)
})
