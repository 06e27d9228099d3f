import type { Deps, ToolChange } from '../deps.ts'

/**
 * Does `work` in one transaction. The dependencies that it is given speak to that transaction, and
 * their `wake` rings after the commit: a worker that is woken before it would find nothing. Inside
 * another transaction it joins that one.
 */
export async function inTransaction<Result>(
  deps: Deps,
  work: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  if (deps.db.isTransaction) return work(deps)

  const queued = new Set<'dialer' | 'sender' | 'importer'>()
  const changes: ToolChange[] = []
  const notify = {
    callQueued: () => void queued.add('dialer'),
    deliveryQueued: () => void queued.add('sender'),
    importQueued: () => void queued.add('importer'),
    toolsChanged: (change: ToolChange) => void changes.push(change),
  }
  const result = await deps.db.transaction().execute((db) => work({ ...deps, db, notify }))
  for (const name of queued) deps.notify[name]()
  for (const change of changes) deps.notify.toolsChanged(change)
  return result
}
