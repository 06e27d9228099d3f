import { type RawBuilder, sql } from 'kysely'
import { secondMs } from '../platform/core/durations.ts'
import { hidden, prepared } from '../platform/db/connect.ts'
import type { Db } from '../platform/db/schema.ts'
import {
  type Lane,
  type LaneShare,
  newSenderTurns,
  type SenderTurns,
  shareAmongLanes,
  toLaneKey,
} from './turns.ts'

/** A delivery that only this worker may attempt until the lease ends. */
export interface LeasedDelivery {
  id: number
  workspaceId: number
  /** The worker may update the delivery only while the row still has this fence. */
  fence: number
  /** The number of failed attempts before this one. */
  attempts: number
  createdAt: Date
  /** Null for the report to Zapier that the subscription has ended. */
  eventId: string | null
  /** True for a test event: it's sent once, and its result doesn't count for the subscription. */
  isTest: boolean
  /** Null without an event. */
  body: string | null
  targetUrl: string
  targetHost: string
  /** Null for a callback URL. */
  subscriptionId: number | null
  disabled: boolean
  /** Sealed with `secretBox`, as is `previousSecret`. */
  secret: string
  previousSecret: string | null
  previousSecretUntil: Date | null
}

interface Claim {
  workerId: string
  now: Date
  capacity: number
  perHost: number
  /** How many deliveries this worker has leased but not finished for each host. */
  activeByHost: ReadonlyMap<string, number>
  /** How many deliveries this worker has leased but not finished for each lane, by `toLaneKey`. */
  activeByLane?: ReadonlyMap<string, number>
  /** How many deliveries each lane may get in addition to its share, by `toLaneKey`. */
  aheadByLane?: Pick<ReadonlyMap<string, number>, 'get'>
  leaseSeconds: number
  turns?: SenderTurns
}

/**
 * Leases deliveries that are due, up to a limit per host. Hosts take turns, and so do the lanes of each host. The statements
 * don't scan a backlog, but skip from one host or lane to the next in the index. Leases use the database's clock, because the
 * workers' clocks can differ.
 */
export async function leaseDeliveries(db: Db, claim: Claim): Promise<LeasedDelivery[]> {
  const { turns = newSenderTurns() } = claim
  // Retries wait for seconds or longer. If other deliveries are due all the time, it's enough to look for due retries once per
  // second.
  if (performance.now() - turns.retriesAt >= secondMs) await endRetryWaits(db, turns, claim.now)
  const leased = await leaseInTurn(db, turns, claim)
  if (leased.length > 0 || (await endRetryWaits(db, turns, claim.now)) === 0n) return leased
  return leaseInTurn(db, turns, claim)
}

async function leaseInTurn(db: Db, turns: SenderTurns, claim: Claim): Promise<LeasedDelivery[]> {
  const { capacity, perHost, activeByHost, activeByLane, aheadByLane } = claim
  const slots = {
    perHost,
    ahead: ({ host, id }: Lane) => aheadByLane?.get(toLaneKey(host, id)) ?? 0,
    usedByHost: (host: string) => activeByHost.get(host) ?? 0,
    usedByLane: ({ host, id }: Lane) => activeByLane?.get(toLaneKey(host, id)) ?? 0,
  }
  // Goes from the current host to the last one, and then through all hosts from the first one.
  for (let passes = turns.host === '' ? 1 : 2; passes > 0;) {
    const lanes = await listLanes(db, turns)
    const lastHost = lanes.at(-1)
    turns.host = lastHost !== undefined && lastHost.hostCount === maxHosts ? lastHost.host : ''
    if (turns.host === '') passes -= 1
    const shares = shareAmongLanes(turns, lanes, { capacity, slots })
    const leased = shares.length === 0 ? [] : await leaseFromLanes(db, shares, claim)
    if (leased.length > 0) return leased
  }
  return []
}

const maxHosts = 64
/** The maximum number of a host's lanes that can get a delivery at a time. */
const maxLanes = 64
const maxRetries = 1_000

/** Ends the wait of deliveries whose retries are due: at most `maxRetries`, the longest due first. Returns how many. */
async function endRetryWaits(db: Db, turns: SenderTurns, now: Date): Promise<bigint> {
  turns.retriesAt = performance.now()
  const { numAffectedRows = 0n } = await sql`${prepared}
    update webhook_delivery set waits_for_retry = false where id in (
      select id from webhook_delivery
      where status = 'pending' and waits_for_retry and next_attempt_at <= ${now}
      order by next_attempt_at limit ${maxRetries}
      for no key update skip locked
    )`.execute(db)
  return numAffectedRows
}

/** SQL for the ID of a delivery's lane. `laneOf` in sender.ts uses the same ID. */
const laneId = sql`coalesce(subscription_id, -workspace_id)`
const hasTurns = sql`status = 'pending' and not waits_for_retry`

/**
 * Returns the lanes of the hosts after `turns.host`. `hostCount` is the number of hosts up to and including the lane's. The
 * lanes of a host begin after the lane that had the last turn.
 */
async function listLanes(db: Db, turns: SenderTurns): Promise<(Lane & { hostCount: number })[]> {
  const lastLanes = JSON.stringify(Object.fromEntries(turns.lanes.entries()))
  const nextLane = (after: RawBuilder<unknown>) => sql`(
    select ${laneId} from webhook_delivery
    where target_host = host.name and ${hasTurns} and ${laneId} > ${after}
    order by ${laneId} limit 1)`
  const firstLane = nextLane(sql`-9223372036854775808`)
  const { rows } = await sql<Lane & { hostCount: number }>`${prepared}
    with recursive host as (
      (
        select target_host as name, 1 as position from webhook_delivery
        where ${hasTurns} and target_host > ${hidden(turns.host, 'text')} order by target_host limit 1
      )
      union all
      select next.name, position + 1
      from host cross join lateral (
        select target_host as name from webhook_delivery
        where ${hasTurns} and target_host > host.name order by target_host limit 1
      ) next
      where position < ${sql.lit(maxHosts)}
    )
    select host.name as host, lane.id, host.position as "hostCount"
    from host cross join lateral (
      with recursive lane as (
        select first.id, first.id as first_id, 1 as position
        from (
          select coalesce(${nextLane(sql`(${hidden(lastLanes, 'jsonb')} ->> host.name)::bigint`)}, ${firstLane}) as id
        ) first
        where first.id is not null
        union all
        select next.id, first_id, position + 1
        from lane cross join lateral (
          select coalesce(${nextLane(sql`lane.id`)}, ${firstLane}) as id
        ) next
        where position < ${sql.lit(maxLanes)} and next.id <> first_id
      )
      select id, position from lane
    ) lane
    order by host.position, lane.position
  `.execute(db)
  return rows
}

async function leaseFromLanes(
  db: Db,
  shares: readonly LaneShare[],
  { workerId, now, leaseSeconds }: Claim,
): Promise<LeasedDelivery[]> {
  const lanes = shares.map(({ host, id, limit }) => ({ host, id, max_deliveries: limit }))
  const { rows } = await sql<LeasedDelivery>`${prepared}
    with lane as (
      select host, id, max_deliveries
      from json_to_recordset(${JSON.stringify(lanes)}) as lane (host text, id bigint, max_deliveries int)
    ), due as (
      select delivery.id from lane cross join lateral (
        select id from webhook_delivery
        where target_host = lane.host and ${laneId} = lane.id and ${hasTurns}
          and next_attempt_at <= ${now} and (lease_until is null or lease_until <= now())
        -- Sorts by the lane ID, too, although it's the same for all rows. Otherwise, PostgreSQL would read and sort the whole lane:
        -- with row-level security, it doesn't recognize that the index already returns a lane's rows in this order.
        order by ${laneId}, next_attempt_at, id
        limit lane.max_deliveries
        for no key update skip locked
      ) delivery
    ), leased as (
      update webhook_delivery
      set worker_id = ${workerId}, fence = fence + 1,
        lease_until = now() + make_interval(secs => ${leaseSeconds})
      where id = any(array(select id from due))
      returning *
    )
    select leased.id, leased.workspace_id as "workspaceId", leased.fence, leased.attempts,
      leased.created_at as "createdAt", leased.event_id as "eventId",
      leased.event_id is not null and event.call_id is null as "isTest", event.body,
      leased.target_url as "targetUrl", leased.target_host as "targetHost",
      leased.subscription_id as "subscriptionId",
      leased.event_id is not null and subscription.disabled_at is not null as disabled,
      coalesce(subscription.secret, workspace.webhook_secret) as secret,
      case when leased.subscription_id is null then workspace.previous_webhook_secret
        else subscription.previous_secret end as "previousSecret",
      case when leased.subscription_id is null then workspace.previous_webhook_secret_until
        else subscription.previous_secret_until end as "previousSecretUntil"
    from leased
    -- Lateral with limits: PostgreSQL overestimates the number of deliveries, so for plain joins, it would read whole tables.
    left join lateral (select call_id, body from event where id = leased.event_id limit 1) event on true
    cross join lateral (
      select webhook_secret, previous_webhook_secret, previous_webhook_secret_until
      from workspace where id = leased.workspace_id limit 1
    ) workspace
    left join lateral (
      select disabled_at, secret, previous_secret, previous_secret_until
      from webhook_subscription where id = leased.subscription_id limit 1
    ) subscription on true
    order by leased.next_attempt_at, leased.id
  `.execute(db)
  return rows
}

/** Returns how many seconds the oldest delivery that's due and not leased has been due, or 0 if there's no such delivery. */
export async function findDeliveryLag(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ lag: number }>`
    select coalesce(max(extract(epoch from ${now}::timestamptz - next_attempt_at)), 0)::float8 as lag
    from webhook_delivery
    where status = 'pending' and next_attempt_at <= ${now} and (lease_until is null or lease_until <= now())
  `.execute(db)
  return rows[0]?.lag ?? 0
}

/** Matches the delivery while it's pending and no other worker has leased it since. */
const isStillLeased = (lease: { id: number; fence: number }) =>
  sql<boolean>`id = ${lease.id} and fence = ${lease.fence} and status = 'pending'`

/**
 * Releases a lease without an attempt, so that neither another worker nor an unsubscribe request has to wait for its end.
 */
export async function releaseDelivery(db: Db, lease: { id: number; fence: number }): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ worker_id: null, lease_until: null })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', 'in', ['pending', 'canceled'])
    .execute()
}

/** Ends a leased delivery without an attempt. */
export async function endDelivery(
  db: Db,
  lease: { id: number; fence: number },
  status: 'exhausted' | 'canceled',
  at: Date,
): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status, next_attempt_at: null, finished_at: at, worker_id: null, lease_until: null })
    .where(isStillLeased(lease))
    .execute()
}

/**
 * Ends a subscription's pending deliveries of events without an attempt. Leaves out deliveries with an attempt in progress,
 * because their workers end them.
 */
export async function exhaustDeliveriesOfSubscription(
  db: Db,
  workspaceId: number,
  subscriptionId: number,
  at: Date,
): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null, finished_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('subscription_id', '=', subscriptionId)
    .where('event_id', 'is not', null)
    .where('status', '=', 'pending')
    .where((where) =>
      where.or([where('lease_until', 'is', null), where('lease_until', '<=', sql<Date>`now()`)]),
    )
    .execute()
}
