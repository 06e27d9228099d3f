import type { Notify } from '../core/notify.ts'
import type { Db } from './schema.ts'

/**
 * Checks in a transaction that the sender of a request still has the rights from when the request's headers arrived. Throws
 * if not.
 */
export type ConfirmRights = (db: Db) => Promise<void>

/**
 * Does `work` in a transaction. `tx` contains the dependencies bound to the transaction. Its `notify` takes effect after the
 * commit, because a worker that looks earlier finds nothing. If `deps` are those of a request that writes, confirms the
 * rights first. If `deps` are already bound to a transaction, `work` joins that transaction.
 */
export async function inTransaction<
  Scope extends { db: Db; notify: Notify; confirmRights?: ConfirmRights },
  Result,
>(deps: Scope, work: (tx: Scope) => Promise<Result>): Promise<Result> {
  if (deps.db.isTransaction) return work(deps)

  const queued = new Set<'callQueued' | 'deliveryQueued' | 'importQueued'>()
  const events: (() => void)[] = []
  const notify: Notify = {
    callQueued: () => void queued.add('callQueued'),
    deliveryQueued: () => void queued.add('deliveryQueued'),
    importQueued: () => void queued.add('importQueued'),
    reportReceived: (attemptId) => void events.push(() => deps.notify.reportReceived(attemptId)),
    toolsChanged: (change) => void events.push(() => deps.notify.toolsChanged(change)),
    toolAccessEnded: (attempt) => void events.push(() => deps.notify.toolAccessEnded(attempt)),
    callCompleted: (result) => void events.push(() => deps.notify.callCompleted(result)),
    attemptEnded: (result) => void events.push(() => deps.notify.attemptEnded(result)),
  }
  const result = await deps.db.transaction().execute(async (db) => {
    await deps.confirmRights?.(db)
    return work({ ...deps, db, notify })
  })
  for (const name of queued) deps.notify[name]()
  for (const send of events) send()
  return result
}
