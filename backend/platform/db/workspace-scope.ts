import { openWorkspace } from './connect.ts'
import type { Db } from './schema.ts'

/**
 * Returns dependencies whose database contains only the rows of one workspace. The tables' policies enforce this, even for
 * a statement that doesn't filter by workspace.
 */
export function scopeToWorkspace<Scope extends { db: Db }>(deps: Scope, workspaceId: number): Scope {
  // In a transaction, the scope would stay after this object is no longer used, and hide rows from later statements.
  if (deps.db.isTransaction) throw new Error("invariant: a transaction in progress can't be scoped")
  if (!Number.isSafeInteger(workspaceId)) throw new Error('invariant: the workspace ID is not an integer')
  return { ...deps, db: openWorkspace(deps.db, workspaceId) }
}
