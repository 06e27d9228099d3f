import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { hasUsers, lockUserTable } from '../identity/user-store.ts'
import { createUser } from '../identity/users.ts'
import { createWorkspace } from './create-workspace.ts'

interface FirstUser {
  name: string
  email: string
  password: string
  workspaceName: string
  country: string
  timeZone: string
}

/**
 * Makes the first user of an empty installation, with a workspace that is theirs. Undefined where there is a user
 * already: of two at once the lock lets one be first.
 *
 * @throws {ApiError} validation_failed
 */
export const signUp = (
  deps: Deps,
  input: FirstUser,
): Promise<{ userId: number; workspaceId: number } | undefined> =>
  inTransaction(deps, async (tx) => {
    await lockUserTable(tx.db)
    // In a statement of its own: one snapshot for both would predate the lock.
    if (await hasUsers(tx.db)) return undefined
    const { name, email, password, workspaceName, country, timeZone } = input
    const user = await createUser(tx, { name, email, password })
    const workspace = await createWorkspace(tx, {
      name: workspaceName,
      country,
      timeZone,
      ownerId: user.id,
    })
    return { userId: user.id, workspaceId: workspace.id }
  })
