import type { Deps } from '../deps.ts'
import { dayMs } from '../platform/core/durations.ts'
import { describeError } from '../platform/core/errors.ts'
import { leftOut, share } from '../platform/core/share.ts'
import { isRolledBack } from '../platform/db/outage.ts'
import type { Db } from '../platform/db/schema.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import type { DeliveryAttemptResult } from './deliver.ts'
import {
  type AttemptResultRow,
  type DeliveryAttemptRow,
  type DeliveryState,
  recordDeliveryAttempts,
} from './delivery-attempt-store.ts'
import { exhaustDeliveriesOfSubscription, type LeasedDelivery } from './delivery-store.ts'
import { retryDelay } from './retry-delay.ts'
import {
  cancelEndReport,
  disableSubscription,
  endSubscription,
  recordSubscriptionFailure,
  recordSubscriptionSuccess,
} from './subscription-store.ts'

/** How long a subscription's attempts can fail before the subscription is disabled. */
export const maxFailingMs = 5 * dayMs

interface FinishedAttempt {
  delivery: LeasedDelivery
  attempt: DeliveryAttemptRow
  result: DeliveryAttemptResult
  /** The time when the result arrived. */
  at: Date
  /** Milliseconds until the next attempt; undefined if this one was the last. */
  delayMs: number | undefined
}

type RecordAttempt = (
  delivery: LeasedDelivery,
  startedAt: Date,
  result: DeliveryAttemptResult,
) => Promise<void>

type RecorderDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'notify' | 'log'>

/**
 * Creates the function that records an attempt and its consequences. While many results arrive, those that arrive within 10 ms
 * share a statement, unless they change their subscriptions. Few do, because a subscription rarely starts or stops failing.
 */
export function createDeliveryRecorder(deps: RecorderDeps): RecordAttempt {
  const record = share<FinishedAttempt, void>(
    async (_, finished, isAlone) => {
      if (!isAlone) return recordTogether(deps, finished)
      for (const attempt of finished) await recordAlone(deps, attempt)
      return finished.map(() => undefined)
    },
    {
      maxSize: 200,
      gatherMs: 10,
      maxRunning: 6,
      maxRunningPerGroup: 2, // so that a database connection that goes silent doesn't delay all results
      // Otherwise, results that wait for locked subscriptions of one workspace would delay those of other workspaces.
      aloneGroupOf: ({ delivery }) => delivery.workspaceId,
      isRolledBack,
      onRollback: (error, attempts) =>
        deps.log.warn(
          { error: describeError(error), attempts },
          'failed to record a batch of delivery results; recording them one at a time',
        ),
    },
  )
  return (delivery, startedAt, result) =>
    record(allDeliveries, toFinishedAttempt(deps, delivery, startedAt, result))
}

/** The ID of the only group: results of all workspaces share batches, because one statement can record all of them. */
const allDeliveries = 0

function toFinishedAttempt(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  delivery: LeasedDelivery,
  startedAt: Date,
  result: DeliveryAttemptResult,
): FinishedAttempt {
  const at = clock.now()
  const attempt = {
    at: startedAt,
    durationMs: at.getTime() - startedAt.getTime(),
    statusCode: 'statusCode' in result ? result.statusCode : null,
    error: 'error' in result ? result.error : null,
  }
  const retryAfterMs = result.kind === 'rejected' ? result.retryAfterMs : undefined
  const delayMs = retryDelay(delivery.attempts + 1, random, retryAfterMs)
  if (delivery.eventId === null && delayMs !== undefined && !isWithinDay(delivery, at, delayMs))
    return { delivery, attempt, result, at, delayMs: undefined }
  return { delivery, attempt, result, at, delayMs }
}

/**
 * Returns true if the next attempt is within a day of the delivery's creation. After a day, Outdial stops trying to report the
 * end of a subscription to Zapier.
 */
const isWithinDay = ({ createdAt }: LeasedDelivery, at: Date, delayMs: number): boolean =>
  at.getTime() + delayMs <= createdAt.getTime() + dayMs

/** Records attempts in one statement, but leaves out those that may change their subscriptions or are locked. */
async function recordTogether({ db, clock }: RecorderDeps, finished: readonly FinishedAttempt[]) {
  const rows = finished.flatMap((attempt) => toSharedRow(attempt) ?? [])
  const failingSince = new Date(clock.now().getTime() - maxFailingMs)
  const recorded = new Set(await recordDeliveryAttempts(db, rows, { skipLocked: true, failingSince }))
  return finished.map(({ delivery }) => (recorded.has(delivery.id) ? undefined : leftOut))
}

/** Returns what a shared statement records, or undefined if the result always changes the subscription. */
function toSharedRow(finished: FinishedAttempt): AttemptResultRow | undefined {
  const { delivery, result, delayMs } = finished
  const row = (onlyIf: AttemptResultRow['onlyIf']) => toRow(finished, delayMs, onlyIf)
  if (delivery.isTest || delivery.eventId === null || delivery.subscriptionId === null) return row(null)
  switch (result.kind) {
    case 'delivered':
      return row('not_failing')
    case 'rejected':
    case 'unreachable':
      return row('failing')
    case 'internal_error':
      return row(null)
    case 'gone':
      return undefined
  }
}

const toRow = (
  finished: FinishedAttempt,
  delayMs: number | undefined,
  onlyIf: AttemptResultRow['onlyIf'],
): AttemptResultRow => ({
  lease: { id: finished.delivery.id, fence: finished.delivery.fence },
  attempt: finished.attempt,
  state: toDeliveryState(finished, delayMs),
  onlyIf,
})

/**
 * Records an attempt in a separate transaction. Writes the subscription before its deliveries, in the same order as
 * removing a subscription, to prevent deadlocks.
 */
async function recordAlone(deps: RecorderDeps, finished: FinishedAttempt): Promise<void> {
  const { delivery, result, at, delayMs } = finished
  await inTransaction(deps, async (tx) => {
    const isEnabled = delivery.isTest || (await updateSubscriptionHealth(tx.db, delivery, result, at))
    await recordDeliveryAttempts(tx.db, [toRow(finished, isEnabled ? delayMs : undefined, null)])
    if (!isEnabled) await exhaustOtherDeliveries(tx.db, delivery, at)
  })
}

function toDeliveryState(
  { delivery, result, at }: Pick<FinishedAttempt, 'delivery' | 'result' | 'at'>,
  delayMs: number | undefined,
): DeliveryState {
  if (delivery.isTest) return { status: result.kind === 'delivered' ? 'delivered' : 'exhausted' }
  if (result.kind === 'delivered' || result.kind === 'gone') return { status: result.kind }
  return delayMs === undefined
    ? { status: 'exhausted' }
    : { status: 'pending', nextAttemptAt: new Date(at.getTime() + delayMs) }
}

/** Updates the subscription after an attempt. Returns true if the receiver can still get deliveries. */
async function updateSubscriptionHealth(
  db: Db,
  delivery: LeasedDelivery,
  result: DeliveryAttemptResult,
  at: Date,
): Promise<boolean> {
  const { workspaceId, subscriptionId, eventId } = delivery
  if (subscriptionId === null || eventId === null) return result.kind !== 'gone'
  switch (result.kind) {
    case 'delivered':
      await recordSubscriptionSuccess(db, workspaceId, subscriptionId)
      return true
    case 'gone':
      await endSubscription(db, workspaceId, subscriptionId, { reason: 'gone', at })
      await cancelEndReport(db, workspaceId, subscriptionId, at)
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
