import { sql } from 'kysely'
import type { Db } from '../platform/db/schema.ts'
import { isOfCall } from './test-events.ts'

/** One delivery, all deliveries of a subscription, or, with null, the deliveries to all callback URLs. */
export type ReplaySelection = { deliveryId: number } | { subscriptionId: number | null }

/**
 * Matches exhausted deliveries that can be sent again. A test event is sent only once, and nothing is sent to a subscription
 * that's disabled, or to a subscription or callback URL that has ended.
 */
const canBeReplayed = (workspaceId: number) => sql<boolean>`
  d.workspace_id = ${workspaceId} and d.status = 'exhausted' and ${isOfCall('d')} and (
    exists (
      select from webhook_subscription s where s.id = d.subscription_id and s.disabled_at is null and s.ended_at is null
    )
    or exists (select from call_callback c where c.id = d.callback_id and c.ended_at is null)
  )`

/** Returns the IDs of the next deliveries that can be replayed, in ascending order. */
export async function selectDeliveriesToReplay(
  db: Db,
  workspaceId: number,
  selection: ReplaySelection,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<number[]> {
  const isSelected =
    'deliveryId' in selection
      ? sql<boolean>`d.id = ${selection.deliveryId}`
      : selection.subscriptionId === null
        ? sql<boolean>`d.subscription_id is null`
        : sql<boolean>`d.subscription_id = ${selection.subscriptionId}`
  const { rows } = await sql<{ id: number }>`
    select d.id from webhook_delivery d
    where ${canBeReplayed(workspaceId)} and ${isSelected} and d.id > ${afterId}
    order by d.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Makes these deliveries due again with the whole retry schedule, if they can still be replayed. Keeps the log of their
 * attempts. Returns the number of deliveries.
 */
export async function replaySelectedDeliveries(
  db: Db,
  workspaceId: number,
  deliveryIds: readonly number[],
  at: Date,
): Promise<number> {
  if (deliveryIds.length === 0) return 0
  const { numAffectedRows = 0n } = await sql`
    update webhook_delivery d
    set status = 'pending', attempts = 0, next_attempt_at = ${at}, waits_for_retry = false, finished_at = null
    where d.id = any(${deliveryIds}::bigint[]) and ${canBeReplayed(workspaceId)}`.execute(db)
  return Number(numAffectedRows)
}
