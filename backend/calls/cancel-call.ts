import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { completeQueuedCalls } from './complete-calls.ts'
import { findCall } from './get-calls.ts'

/**
 * Cancels a call that is still queued. A call that is being dialed, in progress, or completed isn't changed.
 *
 * @returns false if the call was no longer queued
 * @throws {ApiError} not_found
 */
export const cancelCall = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  { workspaceId, callId }: CallKey,
): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const result = { outcome: 'canceled', endedReason: 'canceled_by_user', at: now } as const
    const canceled = await completeQueuedCalls(tx, workspaceId, [callId], result)
    if (canceled.length === 0 && (await findCall(tx.db, workspaceId, callId, now)) === undefined) {
      throw notFound('call')
    }
    return canceled.length > 0
  })

export interface CallKey {
  workspaceId: number
  callId: number
}
