import type { Db } from '../db/schema.ts'
import { publishCompletedCalls } from './complete-calls.ts'
import { completeQueuedCalls } from './call-store.ts'
import { lockContactByNumber, lockQueuedCallsTo, insertDoNotCall } from './suppress-store.ts'

/**
 * Puts a number on the workspace's do-not-call list and completes what waits for it, in every campaign, as
 * suppressed. A call that is already ringing or talking goes on. Wake the sender after the commit.
 */
export async function addToDoNotCallList(
  tx: Db,
  entry: {
    workspaceId: number
    phoneNumber: string
    source: 'api' | 'dashboard' | 'call'
    reason?: string | null
    now: Date
  },
): Promise<void> {
  const { workspaceId, phoneNumber, source, reason = null, now } = entry
  await lockContactByNumber(tx, workspaceId, phoneNumber)
  await insertDoNotCall(tx, workspaceId, { phoneNumber, source, reason, at: now })
  const callIds = await lockQueuedCallsTo(tx, workspaceId, phoneNumber)
  const result = { outcome: 'suppressed', endedReason: 'do_not_call', at: now } as const
  await publishCompletedCalls(
    tx,
    workspaceId,
    await completeQueuedCalls(tx, workspaceId, callIds, result),
    now,
  )
}
