import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { DeliveryStatus } from '../db/tables/webhook-tables.ts'
import { isOfCall } from './test-events.ts'

/** A delivery that only this worker may attempt until the lease ends. */
export interface LeasedDelivery {
  id: number
  workspaceId: number
  /** The worker may update the delivery only while the row still has this fence. */
  fence: number
  /** Failed attempts before this one. */
  attempts: number
  eventId: string
  /** True for a test event: it's sent once, and its result doesn't count for the subscription. */
  isTest: boolean
  body: string
  targetUrl: string
  targetHost: string
  /** Null for a callback URL. */
  subscriptionId: number | null
  disabled: boolean
  /** Sealed. */
  secret: string
  previousSecret: string | null
  previousSecretUntil: Date | null
}

/**
 * Leases deliveries that are due, up to a limit per host. Finds the hosts by skipping from one to the next in the
 * index, so that the backlog of an unreachable receiver isn't scanned. Leases use the database's clock, because the
 * workers' clocks can differ.
 */
export async function leaseDeliveries(
  db: Db,
  claim: {
    workerId: string
    now: Date
    capacity: number
    perHost: number
    /** How many attempts this worker has in progress for each host. */
    activeByHost: ReadonlyMap<string, number>
    leaseSeconds: number
  },
): Promise<LeasedDelivery[]> {
  const activeByHost = JSON.stringify(Object.fromEntries(claim.activeByHost))
  const isDue = sql`
    status = 'pending' and next_attempt_at <= ${claim.now} and (lease_until is null or lease_until <= now())`
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
        select id, next_attempt_at from webhook_delivery
        where target_host = host.name and ${isDue}
        order by next_attempt_at, id
        limit greatest(0, ${claim.perHost}::int - coalesce((${activeByHost}::jsonb ->> host.name)::int, 0))
      ) of_host
      order by of_host.next_attempt_at, of_host.id
      limit ${claim.capacity}
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
    select leased.id, leased.workspace_id as "workspaceId", leased.fence, leased.attempts,
      leased.event_id as "eventId", event.call_id is null as "isTest", event.body,
      leased.target_url as "targetUrl", leased.target_host as "targetHost",
      leased.subscription_id as "subscriptionId", subscription.disabled_at is not null as disabled,
      coalesce(subscription.secret, workspace.webhook_secret) as secret,
      case when leased.subscription_id is null then workspace.previous_webhook_secret
        else subscription.previous_secret end as "previousSecret",
      case when leased.subscription_id is null then workspace.previous_webhook_secret_until
        else subscription.previous_secret_until end as "previousSecretUntil"
    from leased
    join event on event.id = leased.event_id
    join workspace on workspace.id = leased.workspace_id
    left join webhook_subscription subscription on subscription.id = leased.subscription_id
    order by leased.next_attempt_at, leased.id
  `.execute(db)
  return rows
}

/** Returns how many seconds the oldest delivery that's due and not leased has been due. 0 if there's none. */
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

/** Releases a lease without an attempt, so that another worker doesn't have to wait for its end. */
export async function releaseDelivery(db: Db, lease: { id: number; fence: number }): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ worker_id: null, lease_until: null })
    .where(isStillLeased(lease))
    .execute()
}

/** The result of one delivery attempt, as the dashboard shows it. */
export interface DeliveryAttemptRow {
  at: Date
  durationMs: number
  statusCode: number | null
  /** What went wrong, in sentences; null if the delivery succeeded. */
  error: string | null
}

export type DeliveryState =
  { status: 'pending'; nextAttemptAt: Date } | { status: Exclude<DeliveryStatus, 'pending' | 'canceled'> }

/**
 * Records an attempt and ends the lease. Writes nothing if another worker has taken over the delivery. A delivery that
 * was canceled during the attempt isn't retried.
 */
export async function recordDeliveryAttempt(
  db: Db,
  lease: { id: number; fence: number },
  attempt: DeliveryAttemptRow,
  state: DeliveryState,
): Promise<void> {
  const nextAttemptAt = state.status === 'pending' ? state.nextAttemptAt : null
  const finishedAt = state.status === 'pending' ? null : attempt.at
  const isFinal = state.status === 'delivered' || state.status === 'gone'
  const keepsCanceled = sql`status = 'canceled' and not ${isFinal}::boolean`
  await sql`
    with settled as (
      update webhook_delivery
      set attempts = attempts + 1, worker_id = null, lease_until = null,
        status = case when ${keepsCanceled} then status else ${state.status} end,
        next_attempt_at = case when ${keepsCanceled} then null else ${nextAttemptAt}::timestamptz end,
        finished_at = case when ${keepsCanceled} then finished_at else ${finishedAt} end
      where id = ${lease.id} and fence = ${lease.fence} and worker_id is not null and status in ('pending', 'canceled')
      returning id
    )
    insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code, error)
    select id, 1 + (select count(*) from delivery_attempt where delivery_id = settled.id),
      ${attempt.at}, ${attempt.durationMs}, ${attempt.statusCode}, ${attempt.error}
    from settled
  `.execute(db)
}

/** The result of one attempt, to be recorded together with others. */
export interface AttemptResultRow {
  lease: { id: number; fence: number }
  attempt: DeliveryAttemptRow
  state: DeliveryState
  /** Which subscriptions the result changes nothing for; null if it never changes any. */
  onlyIf: 'not_failing' | 'failing' | null
}

/**
 * Records attempts in one statement, as `recordDeliveryAttempt` records one. Returns the IDs of their deliveries. It
 * leaves out those that were locked or taken over by others, and those whose subscription the result may change.
 *
 * @param failingSince the earliest time at which a subscription can have started to fail without being disabled
 */
export async function recordDeliveryAttempts(
  db: Db,
  results: readonly AttemptResultRow[],
  failingSince: Date,
): Promise<number[]> {
  const isFinal = ({ status }: DeliveryState) => status === 'delivered' || status === 'gone'
  const { rows } = await sql<{ id: number }>`
    with result as (
      select * from unnest(
        ${results.map(({ lease }) => lease.id)}::bigint[],
        ${results.map(({ lease }) => lease.fence)}::bigint[],
        ${results.map(({ onlyIf }) => onlyIf)}::text[],
        ${results.map(({ state }) => state.status)}::text[],
        ${results.map(({ state }) => isFinal(state))}::boolean[],
        ${results.map(({ state }) => (state.status === 'pending' ? state.nextAttemptAt : null))}::timestamptz[],
        ${results.map(({ attempt }) => attempt.at)}::timestamptz[],
        ${results.map(({ attempt }) => attempt.durationMs)}::int[],
        ${results.map(({ attempt }) => attempt.statusCode)}::int[],
        ${results.map(({ attempt }) => attempt.error)}::text[]
      ) as result (
        id, fence, only_if, new_status, is_final, new_attempt_at, started_at, duration_ms, status_code, error
      )
    ), locked as (
      -- Skips what others have locked, because deadlocks between statements that lock several rows would stop both.
      select result.*, d.status = 'canceled' and not is_final as keeps_canceled
      from result join webhook_delivery d on d.id = result.id
      left join webhook_subscription s on s.id = d.subscription_id
      where d.fence = result.fence and d.worker_id is not null and d.status in ('pending', 'canceled')
        and case only_if
          when 'not_failing' then s.failing_since is null
          when 'failing' then s.failing_since > ${failingSince}
          else true
        end
      for no key update of d skip locked
    ), settled as (
      update webhook_delivery d
      set attempts = attempts + 1, worker_id = null, lease_until = null,
        status = case when keeps_canceled then status else new_status end,
        next_attempt_at = case when keeps_canceled then null else new_attempt_at end,
        finished_at = case
          when keeps_canceled then finished_at
          when new_status <> 'pending' then started_at
        end
      from locked where d.id = locked.id
    )
    insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code, error)
    select id, 1 + (select count(*) from delivery_attempt where delivery_id = locked.id),
      started_at, duration_ms, status_code, error
    from locked
    returning delivery_id as id
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Ends a leased delivery without an attempt. */
export async function exhaustDelivery(db: Db, lease: { id: number; fence: number }, at: Date): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null, finished_at: at, worker_id: null, lease_until: null })
    .where(isStillLeased(lease))
    .execute()
}

/** Ends a disabled subscription's pending deliveries without an attempt. Attempts in progress end by themselves. */
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
    .where('status', '=', 'pending')
    .where((where) =>
      where.or([where('lease_until', 'is', null), where('lease_until', '<=', sql<Date>`now()`)]),
    )
    .execute()
}

/**
 * Makes exhausted deliveries due again with the whole retry schedule. Returns how many. Keeps the log of their attempts.
 * Test events stay exhausted, because each is sent only once.
 */
export async function replayExhaustedDeliveries(
  db: Db,
  workspaceId: number,
  selection: { deliveryId: number } | { subscriptionId: number | null },
  at: Date,
): Promise<number> {
  const enabled = db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('disabled_at', 'is', null)
    .where('ended_at', 'is', null)
  const liveCallbacks = db
    .selectFrom('call_callback')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
  const exhausted = db
    .updateTable('webhook_delivery')
    .set({ status: 'pending', attempts: 0, next_attempt_at: at, finished_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'exhausted')
    .where(isOfCall('webhook_delivery'))
    .where((where) =>
      where.or([where('subscription_id', 'in', enabled), where('callback_id', 'in', liveCallbacks)]),
    )
  const { numUpdatedRows } = await exhausted
    .where((where) => {
      if ('deliveryId' in selection) return where('id', '=', selection.deliveryId)
      const { subscriptionId } = selection
      return where('subscription_id', subscriptionId === null ? 'is' : '=', subscriptionId)
    })
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
