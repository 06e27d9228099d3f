import type { Notify } from '../core/notify.ts'
import type { Db } from './schema.ts'

/**
 * Does `work` in a transaction. `tx` contains the dependencies bound to it. Its `notify` takes effect after the commit,
 * because a worker that looks earlier finds nothing. In a transaction, it joins that transaction.
 */
export async function inTransaction<Scope extends { db: Db; notify: Notify }, Result>(
  deps: Scope,
  work: (tx: Scope) => Promise<Result>,
): Promise<Result> {
  if (deps.db.isTransaction) return work(deps)

  const queued = new Set<'callQueued' | 'deliveryQueued' | 'importQueued'>()
  const events: (() => void)[] = []
  const notify: Notify = {
    callQueued: () => void queued.add('callQueued'),
    deliveryQueued: () => void queued.add('deliveryQueued'),
    importQueued: () => void queued.add('importQueued'),
    toolsChanged: (change) => void events.push(() => deps.notify.toolsChanged(change)),
    callCompleted: (result) => void events.push(() => deps.notify.callCompleted(result)),
    attemptEnded: (result) => void events.push(() => deps.notify.attemptEnded(result)),
  }
  const result = await deps.db.transaction().execute((db) => work({ ...deps, db, notify }))
  for (const name of queued) deps.notify[name]()
  for (const send of events) send()
  return result
}
