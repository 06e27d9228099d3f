import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../backend/platform/db/schema.ts'
import type { World } from '../world.ts'

/** Creates campaigns of the demo workspace. They call around the clock, and don't retry. Returns their IDs. */
export async function addCampaigns(
  { owner, demo }: World,
  options: { count: number; status: 'active' | 'paused'; maxConcurrentCalls: number },
): Promise<number[]> {
  const { count, status, maxConcurrentCalls } = options
  const { rows } = await sql<{ id: number }>`
    insert into campaign (workspace_id, name, status, agent_id, phone_number_id, time_zone, calling_hours,
      max_concurrent_calls, retry)
    select workspace_id, 'Benchmark ' || n, ${status}, agent_id, phone_number_id, time_zone, calling_hours,
      ${maxConcurrentCalls}::int, '{"max_attempts": 1, "delay_minutes": 60, "on": []}'
    from campaign cross join generate_series(1, ${count}::int) n
    where campaign.id = ${demo.campaign_id}
    returning id`.execute(owner)
  return rows.map(({ id }) => id)
}

/** How many numbers with the same last four digits are used. */
const numbersPerSuffix = 700_000

/**
 * Queues calls, each to a new contact, and distributes them among the campaigns. They're due now, or after `delaySeconds`. The
 * first 700,000 numbers end in 0102, for which the simulated contact is busy. So a call has an attempt and an event, but no
 * conversation.
 */
export async function addQueuedCalls(
  world: World,
  campaignIds: readonly number[],
  count: number,
  { delaySeconds = 0 } = {},
): Promise<void> {
  const { owner } = world
  // Without this, the checks of foreign keys would use plans that were cached for small tables. Such plans read all rows for
  // each new row.
  await sql`analyze`.execute(owner)
  const afterContactId = await addBusyContacts(world, count)
  await insertCalls(owner, campaignIds, { afterContactId, delaySeconds })
}

/** Adds contacts for `insertCalls`. Returns the highest ID before them. */
export async function addBusyContacts({ owner, demo }: World, count: number): Promise<number> {
  const { rows } = await sql<{ contacts: number; last: number }>`
    select count(*) as contacts, coalesce(max(id), 0) as last from contact`.execute(owner)
  const [before = { contacts: 0, last: 0 }] = rows
  await sql`
    insert into contact (workspace_id, phone_number, first_name)
    select ${demo.workspace_id},
      '+1' || 202200 + n % ${numbersPerSuffix} || lpad((102 + n / ${numbersPerSuffix} * 1000)::text, 4, '0'), 'Maya'
    from generate_series(${before.contacts}::int, ${before.contacts + count - 1}::int) n`.execute(owner)
  return before.last
}

/** Queues a call to each contact whose ID is above `afterContactId`. Distributes the calls evenly among the campaigns. */
export async function insertCalls(
  owner: Db,
  campaignIds: readonly number[],
  options: { afterContactId: number; delaySeconds: number },
): Promise<void> {
  const { afterContactId, delaySeconds } = options
  await sql`
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number,
      queued_at, due_at, next_attempt_at, origin, queued_with)
    select campaign.workspace_id, campaign.id, contact.id, agent.id, phone_number.id, phone_number.phone_number,
      contact.phone_number, now(), planned.at, planned.at, '{"kind": "api_key", "id": 1}',
      call_settings(campaign, agent, contact)
        || '{"time_zones": ["America/New_York"], "time_zone_source": "number"}'
    from contact
    join campaign on campaign.id = (${campaignIds}::bigint[])[1 + contact.id % ${campaignIds.length}::int]
    join agent on agent.id = campaign.agent_id
    join phone_number on phone_number.id = campaign.phone_number_id
    cross join (select now() + make_interval(secs => ${delaySeconds}) as at) as planned
    where contact.id > ${afterContactId}`.execute(owner)
}

/** Waits until no call of the campaigns is queued or in progress. */
export async function waitForCalls(
  { owner }: Pick<World, 'owner'>,
  campaignIds: readonly number[],
): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isOpen: boolean }>`
      select exists (
        select from call where campaign_id = any(${campaignIds}::bigint[]) and status <> 'completed' and not test
      ) as "isOpen"`.execute(owner)
    if (rows[0]?.isOpen !== true) return
    await setTimeout(250)
  }
}

/** Starts or stops the dialing of these campaigns' calls. */
export async function setStatus(
  { owner }: Pick<World, 'owner'>,
  campaignIds: readonly number[],
  status: 'active' | 'paused',
): Promise<void> {
  await sql`update campaign set status = ${status} where id = any(${campaignIds}::bigint[])`.execute(owner)
}
