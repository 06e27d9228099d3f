import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { publishCompletedCalls } from './complete-calls.ts'
import { completeQueuedCalls } from './call-store.ts'
import { type CallKey, findLastResult, lockOverdueCall } from '../dialer/sweep-store.ts'

const maxWaitMs = 7 * 24 * 3_600_000

/** Calls that last became due before this have waited too long. */
export const overdueBefore = (now: Date): Date => new Date(now.getTime() - maxWaitMs)

const neverAttempted = { outcome: 'expired', endedReason: 'not_attempted_in_time' } as const

/** Completes a call that got no attempt within 7 days. After any attempt, the last one's outcome stands. */
export const expireCall =
  (deps: Deps) =>
  (key: CallKey): Promise<void> =>
    inTransaction(deps, async (tx) => {
      const now = tx.clock.now()
      const call = await lockOverdueCall(tx.db, key, overdueBefore(now))
      if (call === undefined) return
      const result = (await findLastResult(tx.db, key)) ?? neverAttempted
      const completed = await completeQueuedCalls(tx.db, key.workspaceId, [call.id], { ...result, at: now })
      await publishCompletedCalls(tx.db, key.workspaceId, completed, now)
      tx.notify.deliveryQueued()
    })
