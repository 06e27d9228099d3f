import { type Call, CallCompletedEvent } from '@outdial/contract'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/tokens.ts'
import { findDeliveryLag, replayExhaustedDeliveries, restoreExhaustedDeliveries } from './delivery-store.ts'
import { insertEventsWithDeliveries } from './outbox-store.ts'

/**
 * Writes the `call.completed` events of calls, each with a delivery for every matching subscription and for each of the
 * call's callback URLs. Uses the caller's transaction, so that an event is sent if and only if its call ended. Repeating it
 * for the same call has no effect.
 *
 * An event that would be invalid, because of a mistake in this program or in the row, isn't written and doesn't block the
 * others.
 *
 * @returns the calls whose events were written, and the IDs of those whose events would be invalid
 */
export async function writeCompletedEvents(
  db: Db,
  workspaceId: number,
  { calls, at }: { calls: readonly Call[]; at: Date },
): Promise<{ published: Call[]; invalidIds: number[] }> {
  const checked = calls.map((call) => ({ call, event: toEvent(workspaceId, call, at) }))
  const events = checked.flatMap(({ event }) => (event === undefined ? [] : [event]))
  if (events.length > 0) await insertEventsWithDeliveries(db, workspaceId, { events, at })
  return {
    published: checked.flatMap(({ call, event }) => (event === undefined ? [] : [call])),
    invalidIds: checked.flatMap(({ call, event }) => (event === undefined ? [call.id] : [])),
  }
}

/** Returns undefined if the event would be invalid. */
const toEvent = (workspaceId: number, call: Call, at: Date): CallCompletedEvent | undefined =>
  CallCompletedEvent.safeParse({
    id: `evt_${randomToken(18)}`,
    type: 'call.completed',
    timestamp: at.toISOString(),
    workspace_id: workspaceId,
    data: call,
  }).data

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
