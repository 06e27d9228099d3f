import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { saveAnalysis } from '../dialer/attempt-store.ts'
import type { Analysis } from '../telephony/provider.ts'
import { publishCompletedCalls } from './complete-calls.ts'

/**
 * Ends the wait of a completed call's event: with the analysis, or without it where there is none to come.
 * Does nothing where that has happened before: a call has one event.
 */
export const finishAnalysis =
  (deps: Deps) =>
  (call: { workspaceId: number; callId: number }, analysis: Analysis | undefined): Promise<void> =>
    inTransaction(deps, async (tx) => {
      if (!(await saveAnalysis(tx.db, call.workspaceId, call.callId, analysis))) return
      await publishCompletedCalls(tx.db, call.workspaceId, [call.callId], tx.clock.now())
      tx.notify.deliveryQueued()
    })
