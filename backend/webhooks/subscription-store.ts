import type { WebhookFilter } from '@outdial/contract'
import { type Selectable, sql } from 'kysely'
import type { Caller } from '../platform/core/caller.ts'
import { secondMs } from '../platform/core/durations.ts'
import type { Database, Db } from '../platform/db/schema.ts'
import type { SubscriptionEndedReason } from '../platform/db/tables/webhook-tables.ts'
import { isOfCall } from './test-events.ts'

export type SubscriptionRow = Selectable<Database['webhook_subscription']>

/**
 * Inserts a subscription, or enables the existing one again; the unique indexes decide which. A new subscription has no secret
 * yet, because a secret is sealed for the row's ID. Set the secret in the same transaction.
 */
export async function upsertSubscription(
  db: Db,
  workspaceId: number,
  row: { caller: Caller; targetUrl: string; filter: WebhookFilter; now: Date },
): Promise<SubscriptionRow> {
  const { caller, targetUrl, filter, now } = row
  const enabled = { disabled_at: null, failing_since: null }
  return db
    .insertInto('webhook_subscription')
    .values({
      workspace_id: workspaceId,
      user_id: caller.userId,
      api_key_id: caller.apiKeyId,
      client_id: caller.clientId,
      target_url: targetUrl,
      event: 'call.completed',
      filter: JSON.stringify(filter),
      secret: '',
      created_at: now,
    })
    .onConflict((conflict) =>
      caller.clientId === null
        ? conflict
            .columns(['api_key_id', 'target_url', 'event', 'filter'])
            .where('api_key_id', 'is not', null)
            .where('ended_at', 'is', null)
            .doUpdateSet(enabled)
        : conflict
            .columns(['user_id', 'client_id', 'workspace_id', 'target_url', 'event', 'filter'])
            .where('client_id', 'is not', null)
            .where('ended_at', 'is', null)
            .doUpdateSet(enabled),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Gives an app's subscription with this URL another filter, and enables it. Returns undefined if the app has no such
 * subscription.
 *
 * Takes a lock, because simultaneous requests with different filters have no row in common. Without the lock, each would insert
 * a subscription.
 */
export async function replaceFilter(
  db: Db,
  workspaceId: number,
  row: { caller: Caller; targetUrl: string; filter: WebhookFilter },
): Promise<SubscriptionRow | undefined> {
  const { caller, targetUrl, filter } = row
  const lockKey = `webhook_subscription ${workspaceId} ${caller.userId} ${caller.clientId} ${targetUrl}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lockKey}, 0))`.execute(db)
  const existing = await liveSubscriptions(db, workspaceId)
    .where('user_id', '=', caller.userId)
    .where('client_id', '=', caller.clientId)
    .where('target_url', '=', targetUrl)
    .where('event', '=', 'call.completed')
    .executeTakeFirst()
  if (existing === undefined) return undefined
  return db
    .updateTable('webhook_subscription')
    .set({ filter: JSON.stringify(filter), disabled_at: null, failing_since: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', existing.id)
    .returningAll()
    .executeTakeFirst()
}

export const setSubscriptionSecret = (db: Db, workspaceId: number, id: number, sealedSecret: string) =>
  db
    .updateTable('webhook_subscription')
    .set({ secret: sealedSecret })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()

/** Finds a subscription that hasn't ended. */
export const findSubscription = (db: Db, workspaceId: number, id: number) =>
  db
    .selectFrom('webhook_subscription')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/** Enables a subscription. Returns false if the workspace has no such subscription. */
export async function markSubscriptionEnabled(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_subscription')
    .set({ disabled_at: null, failing_since: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The end of a subscription: why, when, and who unsubscribed. */
export interface SubscriptionEnd {
  reason: SubscriptionEndedReason
  at: Date
  by?: Caller
  /** The origin of URLs to which the end is reported. Undefined if it isn't reported. */
  reportTo?: string | undefined
}

/** Ends a subscription and cancels its pending deliveries. Returns false if there's no such subscription, or it has ended. */
export const endSubscription = async (
  db: Db,
  workspaceId: number,
  id: number,
  end: SubscriptionEnd,
): Promise<boolean> => (await endLocked(db, liveSubscriptions(db, workspaceId).where('id', '=', id), end)) > 0

/**
 * The key or the connections that added a subscription or a callback URL. Without `clientId`, all connections of a
 * member in a workspace.
 */
export type ConnectionOwner = { apiKeyId: number } | { userId: number; clientId?: string }

/** Ends an owner's subscriptions and cancels their pending deliveries. Returns the number of subscriptions. */
export const endSubscriptionsOfOwner = (
  db: Db,
  workspaceId: number,
  owner: ConnectionOwner,
  end: SubscriptionEnd,
): Promise<number> => {
  const live = liveSubscriptions(db, workspaceId)
  const owned =
    'apiKeyId' in owner
      ? live.where('api_key_id', '=', owner.apiKeyId)
      : live
          .where('user_id', '=', owner.userId)
          .$if(owner.clientId !== undefined, (query) => query.where('client_id', '=', owner.clientId ?? null))
  return endLocked(db, owned, end)
}

/**
 * Locks subscriptions that haven't ended. Uses the same order as the outbox, which prevents deadlocks. Waits for transactions
 * that are adding deliveries to the subscriptions.
 */
const liveSubscriptions = (db: Db, workspaceId: number) =>
  db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .forUpdate()

async function endLocked(
  db: Db,
  locked: ReturnType<typeof liveSubscriptions>,
  { reason, at, by, reportTo }: SubscriptionEnd,
): Promise<number> {
  const ids = (await locked.execute()).map(({ id }) => id)
  if (ids.length === 0) return 0
  await db
    .updateTable('webhook_subscription')
    .set({
      ended_at: at,
      ended_reason: reason,
      ended_by_user_id: by?.userId ?? null,
      ended_by_api_key_id: by?.apiKeyId ?? null,
      ended_by_client_id: by?.clientId ?? null,
    })
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute()
  // This is a separate statement, so that it sees the deliveries that were added before the lock.
  await sql`
    update webhook_delivery set status = 'canceled', next_attempt_at = null, finished_at = ${at}
    where subscription_id = any(${ids}::bigint[]) and status = 'pending'`.execute(db)
  if (reportTo !== undefined) await insertEndReports(db, ids, { origin: reportTo, at })
  return ids.length
}

/** Delay before Zapier is notified that a subscription has ended. During this time, Zapier may subscribe the URL again. */
const endReportDelayMs = 6 * secondMs

/**
 * Adds the DELETE requests that notify Zapier that these subscriptions have ended, one for each URL: an API key can have many
 * subscriptions with the same URL. Stored URLs are normalized, so each starts with its origin.
 */
async function insertEndReports(
  db: Db,
  ids: readonly number[],
  { origin, at }: { origin: string; at: Date },
): Promise<void> {
  await sql`
    insert into webhook_delivery (workspace_id, subscription_id, target_url, next_attempt_at, created_at)
    select distinct on (target_url)
      workspace_id, id, target_url, ${new Date(at.getTime() + endReportDelayMs)}::timestamptz, ${at}::timestamptz
    from webhook_subscription
    where id = any(${ids}::bigint[]) and starts_with(target_url, ${`${origin}/`})
    order by target_url, id desc`.execute(db)
}

/** Cancels the report of the end of a subscription, because the receiver has responded with 410 meanwhile. */
export async function cancelEndReport(
  db: Db,
  workspaceId: number,
  subscriptionId: number,
  at: Date,
): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'canceled', next_attempt_at: null, finished_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('subscription_id', '=', subscriptionId)
    .where('event_id', 'is', null)
    .where('status', '=', 'pending')
    .execute()
}

/**
 * Checks if a subscription that hasn't ended has this URL. Looks in all workspaces, because a URL of Zapier belongs to one Zap.
 */
export async function isSubscribed(db: Db, targetUrl: string): Promise<boolean> {
  const query = db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('target_url', '=', targetUrl)
    .where('ended_at', 'is', null)
    .limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Checks if an attempt of one of the subscription's canceled deliveries may still be in progress. */
export async function hasLeasedDelivery(
  db: Db,
  workspaceId: number,
  subscriptionId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_delivery
    where workspace_id = ${workspaceId} and subscription_id = ${subscriptionId}
      and status = 'canceled' and lease_until > clock_timestamp() limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Deletes subscriptions that ended before `before`, with their deliveries, up to `limit` deliveries at a time. Returns false if
 * there can be more.
 */
export async function deleteEndedSubscriptions(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<boolean> {
  const deleted = await sql`
    delete from webhook_delivery where id in (
      select d.id from webhook_subscription s join webhook_delivery d on d.subscription_id = s.id
      where s.ended_at < ${before} limit ${limit}
    )`.execute(db)
  if (deleted.numAffectedRows === BigInt(limit)) return false
  await sql`delete from webhook_subscription where ended_at < ${before}`.execute(db)
  return true
}

export async function hasCampaign(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const query = db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return (await query.executeTakeFirst()) !== undefined
}

export async function hasAgent(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const query = db
    .selectFrom('agent')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return (await query.executeTakeFirst()) !== undefined
}

/** Records that the subscription works again. */
export async function recordSubscriptionSuccess(
  db: Db,
  workspaceId: number,
  subscriptionId: number,
): Promise<void> {
  await db
    .updateTable('webhook_subscription')
    .set({ failing_since: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', subscriptionId)
    .where('failing_since', 'is not', null)
    .execute()
}

/**
 * Records a failure. Returns when the subscription started to fail, and whether another event has failed since then.
 * Returns undefined if the subscription was removed.
 */
export async function recordSubscriptionFailure(
  db: Db,
  workspaceId: number,
  failure: { subscriptionId: number; eventId: string; at: Date },
): Promise<{ failingSince: Date; hasOtherFailedEvent: boolean } | undefined> {
  const { rows } = await sql<{ failingSince: Date; hasOtherFailedEvent: boolean }>`
    update webhook_subscription s set failing_since = coalesce(s.failing_since, ${failure.at})
    where s.workspace_id = ${workspaceId} and s.id = ${failure.subscriptionId}
    returning s.failing_since as "failingSince", exists (
      select from webhook_delivery d join delivery_attempt a on a.delivery_id = d.id
      where d.subscription_id = s.id and d.event_id <> ${failure.eventId} and a.at >= s.failing_since
        and ${isOfCall('d')}
    ) as "hasOtherFailedEvent"
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
