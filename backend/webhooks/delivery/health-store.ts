import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** The subscription works again. */
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

/** The subscription failed: since when it has, and whether that has been so for another event too. */
export async function recordSubscriptionFailure(
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
