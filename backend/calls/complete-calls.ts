import type { Deps } from '../deps.ts'
import { writeCompletedEvents } from '../webhooks/outbox.ts'
import { markQueuedCallsCompleted, postponeEvents, type QueuedCallResult } from './call-store.ts'
import { findCallRows } from './find-calls.ts'
import { toCall } from './get-calls.ts'

type CompletionScope = Pick<Deps, 'config' | 'db' | 'notify'>

/**
 * Completes the given calls that are still queued and writes their `call.completed` events. Call it in a transaction.
 *
 * @returns the IDs of the calls that were still queued
 */
export async function completeQueuedCalls(
  tx: CompletionScope,
  workspaceId: number,
  callIds: readonly number[],
  result: QueuedCallResult,
): Promise<number[]> {
  const completedIds = await markQueuedCallsCompleted(tx.db, workspaceId, callIds, result)
  await publishCompletedCalls(tx, workspaceId, completedIds, result.at)
  return completedIds
}

/**
 * Writes the only `call.completed` event of each call, in the transaction that completed the calls. All code that
 * completes a call uses this function.
 *
 * A call whose event would be invalid stays without an event until the sweeper tries again at `retryInvalidAt`.
 *
 * @returns the IDs of the calls whose events would be invalid
 */
export async function publishCompletedCalls(
  { config, db, notify }: CompletionScope,
  workspaceId: number,
  callIds: readonly number[],
  now: Date,
  retryInvalidAt = now,
): Promise<number[]> {
  if (callIds.length === 0) return []
  const rows = await findCallRows(db, workspaceId, callIds, now)
  const calls = rows.map((row) => toCall(config, row))
  const { published, deliveries, invalidIds } = await writeCompletedEvents(db, workspaceId, {
    calls,
    at: now,
  })
  for (const call of published)
    notify.callCompleted({ outcome: call.outcome, endedReason: call.ended_reason })
  if (deliveries > 0) notify.deliveryQueued()
  if (invalidIds.length > 0) await postponeEvents(db, workspaceId, invalidIds, retryInvalidAt)
  return invalidIds
}
