import { share } from '../../platform/core/share.ts'
import { isRolledBack } from '../../platform/db/outage.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { FencedAttempt } from './attempt-lease-store.ts'
import type { AttemptResult } from './attempt-result.ts'
import { type AnsweredAttempt, type AttemptEnd, markAnswered } from './attempt-store.ts'
import {
  type AnalysisStatus,
  type AnalyzedCall,
  finishAnalyses,
  finishAttempt,
  finishAttempts,
  type FinishDeps,
  type FinishStatus,
} from './finish-attempt.ts'

/**
 * Creates the functions with which a dialer saves what happens to its attempts. In a busy workspace, changes within 10 ms share
 * a transaction, because a statement for 50 attempts takes little longer than one for a single attempt. If PostgreSQL rolls the
 * transaction back, each attempt gets its own transaction, so that an attempt that fails doesn't affect the others.
 */
export function createAttemptWriter(deps: FinishDeps, onError: (error: unknown) => void) {
  const shareInWorkspace = <Item extends { workspaceId: number }, Result>(
    save: (tx: FinishDeps, workspaceId: number, items: readonly Item[]) => Promise<readonly Result[]>,
  ): ((item: Item) => Promise<Result>) => {
    const saveTogether = share<Item, Result>(
      (workspaceId, items) => inTransaction(deps, (tx) => save(tx, workspaceId, items)),
      {
        maxSize: 64,
        maxRunning: 4,
        maxRunningPerGroup: 2,
        gatherMs: 10,
        isRolledBack,
        onRollback: (error) => onError(error),
      },
    )
    return (item) => saveTogether(item.workspaceId, item)
  }
  const markTogether = shareInWorkspace<AnsweredAttempt, boolean>((tx, workspaceId, attempts) =>
    markAnswered(tx.db, workspaceId, attempts),
  )
  const finishTogether = shareInWorkspace<AttemptEnd, FinishStatus>(finishAttempts)
  const finishAnalysesTogether = shareInWorkspace<AnalyzedCall, AnalysisStatus>(finishAnalyses)
  return {
    markAnswered: (attempt: FencedAttempt, at: Date): Promise<boolean> => markTogether({ ...attempt, at }),
    finishAttempt: (attempt: FencedAttempt, result: AttemptResult, at: Date): Promise<FinishStatus> => {
      // These results are saved alone, because they lock or change more rows than those of the attempt and its call.
      const isAlone = result.optedOut || result.notPlaced === true || result.endedReason === 'line_failed'
      if (isAlone) return finishAttempt(deps, attempt, result, at)
      return finishTogether({ workspaceId: attempt.workspaceId, attempt, result, at })
    },
    finishAnalysis: (call: AnalyzedCall): Promise<AnalysisStatus> => finishAnalysesTogether(call),
  }
}

export type AttemptWriter = ReturnType<typeof createAttemptWriter>
