import type { CallCompletedEvent } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/**
 * The event and its deliveries in one statement. The key-share lock makes a subscription that is being removed
 * wait or vanish: without it the foreign key would fail, and with it the transaction that ends the call.
 */
export async function insertEventWithDeliveries(
  db: Db,
  workspaceId: number,
  row: { event: CallCompletedEvent; callbackUrl: string | null; at: Date },
): Promise<void> {
  const { event, callbackUrl, at } = row
  await sql`
    with added as (
      insert into event (id, workspace_id, type, call_id, body, created_at)
      values (${event.id}, ${workspaceId}, ${event.type}, ${event.data.id}, ${JSON.stringify(event)}, ${at})
      on conflict (call_id, type) do nothing
      returning id
    ), wanted as (
      select id, target_url from webhook_subscription
      where workspace_id = ${workspaceId} and event = ${event.type} and disabled_at is null
        and coalesce((filter ->> 'campaign_id')::bigint, ${event.data.campaign_id}) = ${event.data.campaign_id}
        and coalesce((filter ->> 'agent_id')::bigint, ${event.data.agent_id}) = ${event.data.agent_id}
        and (filter -> 'outcome' = 'null' or filter -> 'outcome' ? ${event.data.outcome})
      order by id
      for key share
    ), targets as (
      select id as subscription_id, target_url from wanted
      union all
      select null, ${callbackUrl}::text where ${callbackUrl}::text is not null
    )
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_try_at, created_at)
    select ${workspaceId}, added.id, targets.subscription_id, targets.target_url, ${at}, ${at}
    from added cross join targets
  `.execute(db)
}

/** A delivery that this worker, and no other, may try until its lease ends. */
export interface LeasedDelivery {
  id: number
  workspaceId: number
  /** What it writes about the delivery counts while the row still has this fence. */
  fence: number
  /** Failed tries before this one. */
  tries: number
  eventId: string
  body: string
  targetUrl: string
  targetHost: string
  /** Null for a callback_url. */
  subscriptionId: number | null
  disabled: boolean
  /** Sealed. */
  secret: string
  previousSecret: string | null
  previousSecretUntil: Date | null
}

/**
 * Leases deliveries that are due, of each host no more than its share. The hosts are found by skipping from one to
 * the next along the index, so that a dead receiver's backlog is never waded through. Leases are on the database's
 * clock, whatever the clocks of the workers say.
 */
export async function leaseDeliveries(
  db: Db,
  claim: {
    workerId: string
    now: Date
    room: number
    perHost: number
    /** How many of a host this worker has under way. */
    underWay: ReadonlyMap<string, number>
    leaseSeconds: number
  },
): Promise<LeasedDelivery[]> {
  const underWay = JSON.stringify(Object.fromEntries(claim.underWay))
  const isDue = sql`
    status = 'pending' and next_try_at <= ${claim.now} and (lease_until is null or lease_until <= now())`
  const { rows } = await sql<LeasedDelivery>`
    with recursive host as (
      (select target_host as name from webhook_delivery where status = 'pending' order by target_host limit 1)
      union all
      select (
        select target_host from webhook_delivery
        where status = 'pending' and target_host > host.name order by target_host limit 1
      )
      from host where host.name is not null
    ), due as (
      select of_host.id
      from host cross join lateral (
        select id, next_try_at from webhook_delivery
        where target_host = host.name and ${isDue}
        order by next_try_at, id
        limit greatest(0, ${claim.perHost}::int - coalesce((${underWay}::jsonb ->> host.name)::int, 0))
      ) of_host
      order by of_host.next_try_at, of_host.id
      limit ${claim.room}
    ), locked as (
      select id from webhook_delivery where id in (select id from due) and ${isDue}
      for no key update skip locked
    ), leased as (
      update webhook_delivery
      set worker_id = ${claim.workerId}, fence = fence + 1,
        lease_until = now() + make_interval(secs => ${claim.leaseSeconds})
      where id in (select id from locked)
      returning *
    )
    select leased.id, leased.workspace_id as "workspaceId", leased.fence, leased.tries,
      leased.event_id as "eventId", event.body,
      leased.target_url as "targetUrl", leased.target_host as "targetHost",
      leased.subscription_id as "subscriptionId", subscription.disabled_at is not null as disabled,
      coalesce(subscription.secret, workspace.webhook_secret) as secret,
      subscription.previous_secret as "previousSecret",
      subscription.previous_secret_until as "previousSecretUntil"
    from leased
    join event on event.id = leased.event_id
    join workspace on workspace.id = leased.workspace_id
    left join webhook_subscription subscription on subscription.id = leased.subscription_id
    order by leased.next_try_at, leased.id
  `.execute(db)
  return rows
}

/** What a try leaves in the log that support reads. */
export interface TryRow {
  at: Date
  durationMs: number
  statusCode: number | null
  /** What went wrong, in words; null where the receiver took it. */
  error: string | null
}

export type AfterTry = { status: 'pending'; nextTryAt: Date } | { status: 'delivered' | 'dead' | 'gone' }

/** Ends a lease with the try that was made. Nothing is written where another worker has taken the lease over. */
export async function recordTry(
  db: Db,
  lease: { id: number; fence: number },
  tried: TryRow,
  after: AfterTry,
): Promise<void> {
  const nextTryAt = after.status === 'pending' ? after.nextTryAt : null
  const finishedAt = after.status === 'pending' ? null : tried.at
  await sql`
    with settled as (
      update webhook_delivery
      set status = ${after.status}, tries = tries + 1, next_try_at = ${nextTryAt}, finished_at = ${finishedAt},
        worker_id = null, lease_until = null
      where id = ${lease.id} and fence = ${lease.fence} and status = 'pending'
      returning id
    )
    insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code, error)
    select id, 1 + (select count(*) from delivery_attempt where delivery_id = settled.id),
      ${tried.at}, ${tried.durationMs}, ${tried.statusCode}, ${tried.error}
    from settled
  `.execute(db)
}

/** Gives a lease back untried, so that another worker need not wait for its end. */
export async function releaseLease(db: Db, lease: { id: number; fence: number }): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ worker_id: null, lease_until: null })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'pending')
    .execute()
}

/** Ends a leased delivery without a try. */
export async function endUntried(db: Db, lease: { id: number; fence: number }, at: Date): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'dead', next_try_at: null, finished_at: at, worker_id: null, lease_until: null })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'pending')
    .execute()
}

/** Ends, untried, what waits for a subscription that is disabled. What is under way ends by itself. */
export async function buryDeliveriesOf(
  db: Db,
  workspaceId: number,
  subscriptionId: number,
  at: Date,
): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'dead', next_try_at: null, finished_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('subscription_id', '=', subscriptionId)
    .where('status', '=', 'pending')
    .where((where) =>
      where.or([where('lease_until', 'is', null), where('lease_until', '<=', sql<Date>`now()`)]),
    )
    .execute()
}

/** The subscription works again. */
export async function noteSuccess(db: Db, workspaceId: number, subscriptionId: number): Promise<void> {
  await db
    .updateTable('webhook_subscription')
    .set({ failing_since: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', subscriptionId)
    .where('failing_since', 'is not', null)
    .execute()
}

/** The subscription failed: since when it has, and whether that has been so for another event too. */
export async function noteFailure(
  db: Db,
  workspaceId: number,
  failure: { subscriptionId: number; eventId: string; at: Date },
): Promise<{ failingSince: Date; anotherEvent: boolean } | undefined> {
  const { rows } = await sql<{ failingSince: Date; anotherEvent: boolean }>`
    update webhook_subscription s set failing_since = coalesce(s.failing_since, ${failure.at})
    where s.workspace_id = ${workspaceId} and s.id = ${failure.subscriptionId}
    returning s.failing_since as "failingSince", exists (
      select from webhook_delivery d join delivery_attempt a on a.delivery_id = d.id
      where d.subscription_id = s.id and d.event_id <> ${failure.eventId} and a.at >= s.failing_since
    ) as "anotherEvent"
  `.execute(db)
  return rows[0]
}

export async function disableSubscription(db: Db, workspaceId: number, id: number, at: Date): Promise<void> {
  await db
    .updateTable('webhook_subscription')
    .set({ disabled_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .execute()
}

/** Makes dead deliveries due again, their schedule from its start; the log of their tries goes on. How many. */
export async function reviveDeliveries(
  db: Db,
  workspaceId: number,
  which: { deliveryId: number } | { subscriptionId: number },
  at: Date,
): Promise<number> {
  const enabled = db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('disabled_at', 'is', null)
  const dead = db
    .updateTable('webhook_delivery')
    .set({ status: 'pending', tries: 0, next_try_at: at, finished_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'dead')
    .where((where) =>
      where.or([where('subscription_id', 'is', null), where('subscription_id', 'in', enabled)]),
    )
  const chosen =
    'deliveryId' in which
      ? dead.where('id', '=', which.deliveryId)
      : dead.where('subscription_id', '=', which.subscriptionId)
  const { numUpdatedRows } = await chosen.executeTakeFirst()
  return Number(numUpdatedRows)
}
