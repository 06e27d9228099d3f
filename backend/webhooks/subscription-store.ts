import type { WebhookFilter } from '@outdial/contract'
import { type Selectable, sql } from 'kysely'
import type { Caller } from '../core/caller.ts'
import type { Database, Db } from '../db/schema.ts'

export type SubscriptionRow = Selectable<Database['webhook_subscription']>

/** Inserts a subscription, or enables the existing one again; the unique indexes decide which. */
export async function upsertSubscription(
  db: Db,
  workspaceId: number,
  row: { caller: Caller; targetUrl: string; filter: WebhookFilter; sealedSecret: string; now: Date },
): Promise<SubscriptionRow> {
  const { caller, targetUrl, filter, sealedSecret, now } = row
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
      secret: sealedSecret,
      created_at: now,
    })
    .onConflict((conflict) =>
      caller.clientId === null
        ? conflict
            .columns(['api_key_id', 'target_url', 'event', 'filter'])
            .where('api_key_id', 'is not', null)
            .doUpdateSet(enabled)
        : conflict
            .columns(['user_id', 'client_id', 'workspace_id', 'target_url', 'event', 'filter'])
            .where('client_id', 'is not', null)
            .doUpdateSet(enabled),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const findSubscription = (db: Db, workspaceId: number, id: number) =>
  db
    .selectFrom('webhook_subscription')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Enables a subscription. Returns false if the workspace has none with this ID. */
export async function markSubscriptionEnabled(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_subscription')
    .set({ disabled_at: null, failing_since: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a subscription with its deliveries. Returns false if the workspace has none with this ID. */
export async function deleteSubscription(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_subscription')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Without `clientId`, all subscriptions of a member in a workspace. */
export type SubscriptionOwner = { apiKeyId: number } | { userId: number; clientId?: string }

/** Deletes an owner's subscriptions with their deliveries. Returns how many. */
export async function deleteSubscriptionsOfOwner(
  db: Db,
  workspaceId: number,
  owner: SubscriptionOwner,
): Promise<number> {
  // Locks the rows in the same order as the outbox to prevent deadlocks.
  const locked = db
    .selectFrom('webhook_subscription')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .forUpdate()
  const owned =
    'apiKeyId' in owner
      ? locked.where('api_key_id', '=', owner.apiKeyId)
      : locked
          .where('user_id', '=', owner.userId)
          .$if(owner.clientId !== undefined, (query) => query.where('client_id', '=', owner.clientId ?? null))
  const { numDeletedRows } = await db
    .deleteFrom('webhook_subscription')
    .where('id', 'in', owned)
    .executeTakeFirst()
  return Number(numDeletedRows)
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
