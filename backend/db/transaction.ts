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

  const woken = new Set<'dialer' | 'sender' | 'importer'>()
  const changes: ToolChange[] = []
  const wake = {
    dialer: () => void woken.add('dialer'),
    sender: () => void woken.add('sender'),
    importer: () => void woken.add('importer'),
    tools: (change: ToolChange) => void changes.push(change),
  }
  const result = await deps.db.transaction().execute((db) => work({ ...deps, db, wake }))
  for (const worker of woken) deps.wake[worker]()
  for (const change of changes) deps.wake.tools(change)
  return result
}
