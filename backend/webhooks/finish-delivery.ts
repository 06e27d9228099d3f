import { dayMs } from '../core/durations.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import type { DeliveryAttemptResult } from './deliver.ts'
import {
  type DeliveryState,
  exhaustDeliveriesOfSubscription,
  type LeasedDelivery,
  recordDeliveryAttempt,
} from './delivery-store.ts'
import { retryDelay } from './retry-delay.ts'
import {
  disableSubscription,
  endSubscription,
  recordSubscriptionFailure,
  recordSubscriptionSuccess,
} from './subscription-store.ts'

const maxFailingMs = 5 * dayMs

/**
 * Records an attempt and its consequences. Writes the subscription before its deliveries, in the same order as removing
 * a subscription, to prevent deadlocks. A test event has no consequences, and isn't sent again.
 */
export async function finishDeliveryAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'notify'>,
  delivery: LeasedDelivery,
  startedAt: Date,
  result: DeliveryAttemptResult,
): Promise<void> {
  const at = deps.clock.now()
  const attempt = {
    at: startedAt,
    durationMs: at.getTime() - startedAt.getTime(),
    statusCode: 'statusCode' in result ? result.statusCode : null,
    error: 'error' in result ? result.error : null,
  }
  const retryAfterMs = result.kind === 'rejected' ? result.retryAfterMs : undefined
  const delayMs = retryDelay(delivery.attempts + 1, deps.random, retryAfterMs)

  if (delivery.isTest) {
    const status = result.kind === 'delivered' ? 'delivered' : 'exhausted'
    return recordDeliveryAttempt(deps.db, delivery, attempt, { status })
  }
  await inTransaction(deps, async (tx) => {
    const isEnabled = await updateSubscriptionHealth(tx.db, delivery, result, at)
    await recordDeliveryAttempt(
      tx.db,
      delivery,
      attempt,
      toDeliveryState(result, isEnabled ? delayMs : undefined, at),
    )
    if (!isEnabled) await exhaustOtherDeliveries(tx.db, delivery, at)
  })
}

function toDeliveryState(
  result: DeliveryAttemptResult,
  delayMs: number | undefined,
  at: Date,
): DeliveryState {
  if (result.kind === 'delivered' || result.kind === 'gone') return { status: result.kind }
  return delayMs === undefined
    ? { status: 'exhausted' }
    : { status: 'pending', nextAttemptAt: new Date(at.getTime() + delayMs) }
}

/** Returns whether the receiver can still get deliveries. */
async function updateSubscriptionHealth(
  db: Db,
  delivery: LeasedDelivery,
  result: DeliveryAttemptResult,
  at: Date,
): Promise<boolean> {
  const { workspaceId, subscriptionId, eventId } = delivery
  if (subscriptionId === null) return result.kind !== 'gone'
  switch (result.kind) {
    case 'delivered':
      await recordSubscriptionSuccess(db, workspaceId, subscriptionId)
      return true
    case 'gone':
      await endSubscription(db, workspaceId, subscriptionId, { reason: 'gone', at })
      return false
    case 'internal_error':
      return true
    case 'rejected':
    case 'unreachable': {
      const failure = await recordSubscriptionFailure(db, workspaceId, { subscriptionId, eventId, at })
      if (failure === undefined) return false
      const tooLong = at.getTime() - failure.failingSince.getTime() >= maxFailingMs
      if (!tooLong || !failure.hasOtherFailedEvent) return true
      await disableSubscription(db, workspaceId, subscriptionId, at)
      return false
    }
  }
}

async function exhaustOtherDeliveries(
  db: Db,
  { workspaceId, subscriptionId }: LeasedDelivery,
  at: Date,
): Promise<void> {
  if (subscriptionId !== null) await exhaustDeliveriesOfSubscription(db, workspaceId, subscriptionId, at)
}
