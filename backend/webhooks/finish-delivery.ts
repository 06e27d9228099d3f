import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { deleteSubscription } from './subscription-store.ts'
import {
  disableSubscription,
  recordSubscriptionFailure,
  recordSubscriptionSuccess,
} from './delivery/health-store.ts'
import type { LeasedDelivery } from './delivery-store.ts'
import { retryDelay } from './retry-delay.ts'
import { type AfterTry, buryDeliveriesOf, recordTry } from './delivery/store.ts'
import type { Try } from './deliver.ts'

const maxFailingMs = 5 * 24 * 60 * 60 * 1000

/**
 * Writes down a try and what follows from it. The subscription is always written before its deliveries, as those
 * who remove it do: otherwise the two could wait for each other.
 */
export const settle =
  ({ db, clock, random }: Pick<Deps, 'db' | 'clock' | 'chance'>) =>
  async (delivery: LeasedDelivery, startedAt: Date, outcome: Try): Promise<void> => {
    const at = clock.now()
    const tried = {
      at: startedAt,
      durationMs: at.getTime() - startedAt.getTime(),
      statusCode: 'statusCode' in outcome ? outcome.statusCode : null,
      error: 'error' in outcome ? outcome.error : null,
    }
    const retryAfterMs = outcome.kind === 'refused' ? outcome.retryAfterMs : undefined
    const delayMs = retryDelay(delivery.tries + 1, random, retryAfterMs)

    await db.transaction().execute(async (tx) => {
      const isEnabled = await updateSubscriptionHealth(tx, delivery, outcome, at)
      await recordTry(tx, delivery, tried, afterTry(outcome, isEnabled ? delayMs : undefined, at))
      if (!isEnabled) await bury(tx, delivery, at)
    })
  }

function afterTry(outcome: Try, delayMs: number | undefined, at: Date): AfterTry {
  if (outcome.kind === 'delivered' || outcome.kind === 'gone') return { status: outcome.kind }
  return delayMs === undefined
    ? { status: 'dead' }
    : { status: 'pending', nextTryAt: new Date(at.getTime() + delayMs) }
}

/** Whether anything may still be sent there. */
async function updateSubscriptionHealth(
  db: Db,
  delivery: LeasedDelivery,
  outcome: Try,
  at: Date,
): Promise<boolean> {
  const { workspaceId, subscriptionId, eventId } = delivery
  if (subscriptionId === null) return outcome.kind !== 'gone'
  switch (outcome.kind) {
    case 'delivered':
      await recordSubscriptionSuccess(db, workspaceId, subscriptionId)
      return true
    case 'gone':
      await deleteSubscription(db, workspaceId, subscriptionId)
      return false
    case 'ours':
      return true
    case 'refused':
    case 'unreachable': {
      const failure = await recordSubscriptionFailure(db, workspaceId, { subscriptionId, eventId, at })
      if (failure === undefined) return false
      const tooLong = at.getTime() - failure.failingSince.getTime() >= maxFailingMs
      if (!tooLong || !failure.anotherEvent) return true
      await disableSubscription(db, workspaceId, subscriptionId, at)
      return false
    }
  }
}

async function bury(db: Db, { workspaceId, subscriptionId }: LeasedDelivery, at: Date): Promise<void> {
  if (subscriptionId !== null) await buryDeliveriesOf(db, workspaceId, subscriptionId, at)
}
