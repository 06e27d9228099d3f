import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** What a try leaves in the log that support reads. */
export interface DeliveryAttemptRow {
  at: Date
  durationMs: number
  statusCode: number | null
  /** What went wrong, in words; null where the receiver took it. */
  error: string | null
}

export type DeliveryState =
  { status: 'pending'; nextAttemptAt: Date } | { status: 'delivered' | 'dead' | 'gone' }

/** Ends a lease with the try that was made. Nothing is written where another worker has taken the lease over. */
export async function recordDeliveryAttempt(
  db: Db,
  lease: { id: number; fence: number },
  attempt: DeliveryAttemptRow,
  state: DeliveryState,
): Promise<void> {
  const nextAttemptAt = state.status === 'pending' ? state.nextAttemptAt : null
  const finishedAt = state.status === 'pending' ? null : attempt.at
  await sql`
    with settled as (
      update webhook_delivery
      set status = ${state.status}, tries = tries + 1, next_try_at = ${nextAttemptAt}, finished_at = ${finishedAt},
        worker_id = null, lease_until = null
      where id = ${lease.id} and fence = ${lease.fence} and status = 'pending'
      returning id
    )
    insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code, error)
    select id, 1 + (select count(*) from delivery_attempt where delivery_id = settled.id),
      ${attempt.at}, ${attempt.durationMs}, ${attempt.statusCode}, ${attempt.error}
    from settled
  `.execute(db)
}

/** Ends a leased delivery without a try. */
export async function exhaustDelivery(db: Db, lease: { id: number; fence: number }, at: Date): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'dead', next_try_at: null, finished_at: at, worker_id: null, lease_until: null })
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'pending')
    .execute()
}

/** Ends, untried, what waits for a subscription that is disabled. What is under way ends by itself. */
export async function exhaustDeliveriesOfSubscription(
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

/** Makes dead deliveries due again, their schedule from its start; the log of their tries goes on. How many. */
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
  const exhausted = db
    .updateTable('webhook_delivery')
    .set({ status: 'pending', tries: 0, next_try_at: at, finished_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'dead')
    .where((where) =>
      where.or([where('subscription_id', 'is', null), where('subscription_id', 'in', enabled)]),
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
