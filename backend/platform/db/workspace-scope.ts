import { openWorkspace } from './connect.ts'
import type { Db } from './schema.ts'

/**
 * Returns dependencies whose database contains only the rows of one workspace. The policies of the tables enforce it,
 * also for a statement that doesn't filter by workspace.
 */
export function scopeToWorkspace<Scope extends { db: Db }>(deps: Scope, workspaceId: number): Scope {
  // The scope of a transaction would end later than this object, and the statements that follow would see less.
  if (deps.db.isTransaction) throw new Error("invariant: a transaction in progress can't be scoped")
  if (!Number.isSafeInteger(workspaceId)) throw new Error('invariant: the workspace ID is not an integer')
  return { ...deps, db: openWorkspace(deps.db, workspaceId) }
}
