import { type Call, CallCompletedEvent } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import type { Db } from '../platform/db/schema.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { randomToken } from '../platform/secrets/tokens.ts'
import { findDeliveryLag } from './delivery-store.ts'
import { insertEventsWithDeliveries } from './outbox-store.ts'
import { replaySelectedDeliveries, type ReplaySelection, selectDeliveriesToReplay } from './replay-store.ts'

/**
 * Writes the `call.completed` events of calls, each with a delivery for every matching subscription and for each of the call's
 * callback URLs. Uses the caller's transaction, so that an event is sent if and only if its call ended. Writing the event of
 * the same call again has no effect.
 *
 * An event that would be invalid, because of a mistake in this program or in the row, isn't written and doesn't block the
 * others.
 *
 * @returns the calls whose events were written, the number of deliveries, and the IDs of the calls whose events would be
 *   invalid
 */
export async function writeCompletedEvents(
  db: Db,
  workspaceId: number,
  { calls, at }: { calls: readonly Call[]; at: Date },
): Promise<{ published: Call[]; deliveries: number; invalidIds: number[] }> {
  const checked = calls.map((call) => ({ call, event: toEvent(workspaceId, call, at) }))
  const events = checked.flatMap(({ event }) => (event === undefined ? [] : [event]))
  const deliveries =
    events.length === 0 ? 0 : await insertEventsWithDeliveries(db, workspaceId, { events, at })
  return {
    deliveries,
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

/** The maximum number of deliveries per transaction. Many more could exceed the time limit of a statement. */
const replayBatchSize = 500

/**
 * Sends exhausted deliveries again with a new retry schedule. Selects one delivery or all deliveries of a subscription. If
 * `subscriptionId` is null, selects the deliveries to all callback URLs. Outside a transaction, it replays many deliveries in
 * several transactions, so that none of them is long.
 *
 * @returns the number of deliveries; 0 if no selected delivery can be replayed, for example because the subscription is
 *   disabled
 */
export async function replayDeliveries(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  selection: ReplaySelection,
): Promise<number> {
  let replayed = 0
  for (let afterId: number | undefined = 0; afterId !== undefined;) {
    const page = { afterId, limit: replayBatchSize }
    const ids = await selectDeliveriesToReplay(deps.db, workspaceId, selection, page)
    replayed += await inTransaction(deps, async ({ db, clock, notify }) => {
      const count = await replaySelectedDeliveries(db, workspaceId, ids, clock.now())
      if (count > 0) notify.deliveryQueued()
      return count
    })
    afterId = ids.length === replayBatchSize ? ids.at(-1) : undefined
  }
  return replayed
}

/** Measures how long the oldest due delivery has waited for a sender, in seconds. Returns 0 if none waits. */
export const measureDeliveryLag = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<number> =>
  findDeliveryLag(db, clock.now())
