import type { Deps } from '../deps.ts'
import { replayExhaustedDeliveries } from './delivery/store.ts'

/**
 * Sends dead deliveries again, one or all of a subscription (null: of all callback URLs), with the whole schedule
 * before them. Answers how many: none where nothing is dead, or the subscription is disabled and would not be sent
 * anything.
 */
export const replayDeliveries =
  ({ db, clock, notify }: Pick<Deps, 'db' | 'clock' | 'notify'>) =>
  async (
    workspaceId: number,
    selection: { deliveryId: number } | { subscriptionId: number | null },
  ): Promise<number> => {
    const replayed = await replayExhaustedDeliveries(db, workspaceId, selection, clock.now())
    if (replayed > 0) notify.deliveryQueued()
    return replayed
  }
