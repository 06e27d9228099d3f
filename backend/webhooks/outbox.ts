import { type Call, CallCompletedEvent } from '@outdial/contract'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/tokens.ts'
import { findDeliveryLag, replayExhaustedDeliveries, restoreExhaustedDeliveries } from './delivery-store.ts'
import { insertEventWithDeliveries } from './outbox-store.ts'

/**
 * Writes a call's `call.completed` event, with a delivery for every matching subscription and for each of the
 * call's callback URLs. Uses the caller's transaction, so that the event is sent if and only if the call ended. Repeating it
 * for the same call has no effect.
 */
export async function publishCallCompleted(
  db: Db,
  workspaceId: number,
  completed: { call: Call; at: Date },
): Promise<void> {
  const { call, at } = completed
  const event = CallCompletedEvent.parse({
    id: `evt_${randomToken(18)}`,
    type: 'call.completed',
    timestamp: at.toISOString(),
    workspace_id: workspaceId,
    data: call,
  })
  await insertEventWithDeliveries(db, workspaceId, { event, at })
}

/**
 * Sends exhausted deliveries again with a new retry schedule. Selects one delivery or all deliveries of a subscription.
 * If `subscriptionId` is null, selects the deliveries to all callback URLs.
 *
 * @returns how many; 0 if none is exhausted or the subscription is disabled
 */
export async function replayDeliveries(
  { db, clock, notify }: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  selection: { deliveryId: number } | { subscriptionId: number | null },
): Promise<number> {
  await restoreExhaustedDeliveries(db, workspaceId, selection)
  const replayed = await replayExhaustedDeliveries(db, workspaceId, selection, clock.now())
  if (replayed > 0) notify.deliveryQueued()
  return replayed
}

/** Measures how long the oldest due delivery has waited for a sender, in seconds. Returns 0 if none waits. */
export const measureDeliveryLag = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<number> =>
  findDeliveryLag(db, clock.now())
