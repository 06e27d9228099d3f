import type { Deps } from '../../deps.ts'
import { writeCompletedEvents } from '../../webhooks/outbox.ts'
import { hasNoTime, type NeverReason } from '../rules/plan-call.ts'
import {
  findLastResults,
  markQueuedCallsCompleted,
  postponeEvents,
  type QueuedCallResult,
} from './call-store.ts'
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
 * Completes queued calls that can no longer be placed. A call gets the outcome of its last ended attempt, or `result` if no
 * attempt has ended. Call it in a transaction.
 */
export async function completeUnplacedCalls(
  tx: CompletionScope,
  workspaceId: number,
  callIds: readonly number[],
  result: Pick<QueuedCallResult, 'outcome' | 'endedReason' | 'at'>,
): Promise<void> {
  if (callIds.length === 0) return
  const lastResults = await findLastResults(tx.db, workspaceId, callIds)
  const results = callIds.map((id) => ({ id, ...(lastResults.get(id) ?? result) }))
  const groups = Map.groupBy(results, ({ outcome, endedReason }) => `${outcome} ${endedReason}`)
  for (const group of groups.values()) {
    const { outcome, endedReason } = group[0] ?? result
    const ids = group.map(({ id }) => id)
    await completeQueuedCalls(tx, workspaceId, ids, { outcome, endedReason, at: result.at })
  }
}

/**
 * The reason why a call isn't placed: the number is on the do-not-call list or of a type that the workspace doesn't call, or a
 * rule never allows the call.
 */
export type SuppressedReason = 'do_not_call' | 'number_type_not_allowed' | NeverReason

/**
 * Completes queued calls that must not be placed, each for its reason. If a call ends only because its time has run out, the
 * outcome of its last attempt counts, as for a call that expires. Call it in a transaction.
 */
export async function completeSuppressedCalls(
  tx: CompletionScope,
  workspaceId: number,
  calls: readonly { id: number; reason: SuppressedReason }[],
  at: Date,
): Promise<void> {
  for (const [endedReason, suppressed] of Map.groupBy(calls, ({ reason }) => reason)) {
    const ids = suppressed.map(({ id }) => id)
    const isRule = endedReason !== 'do_not_call' && endedReason !== 'number_type_not_allowed'
    const complete = isRule && hasNoTime(endedReason) ? completeUnplacedCalls : completeQueuedCalls
    await complete(tx, workspaceId, ids, { outcome: 'suppressed', endedReason, at })
  }
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
