import { createUser, lockUsersIfNone } from '../../accounts/identity/users.ts'
import {
  insertOwnedWorkspace,
  type NewWorkspace,
  withinWorkspaceLimit,
} from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { setDefaultRules } from '../../queue/rules/call-rules.ts'
import { installBuiltInTools } from '../tool-catalog.ts'

/**
 * Creates a workspace with its owner, the rules of new workspaces, and the tools that come with Outdial.
 *
 * @throws {ApiError} validation_failed for an invalid name, country, or time zone
 */
export const createWorkspace = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox'>,
  input: NewWorkspace,
): Promise<{ id: number }> =>
  inTransaction(deps, async (tx) => {
    const { id, isNew } = await insertOwnedWorkspace(tx, input)
    if (isNew) {
      await setDefaultRules(tx, id, { kind: 'member', id: input.ownerId })
      await installBuiltInTools(tx, id)
    }
    return { id }
  })

/**
 * Creates a workspace for a user who asks for one in the dashboard. Administrators aren't limited.
 *
 * @throws {ApiError} validation_failed, also if the user owns too many workspaces
 */
export const createOwnWorkspace = (
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'notify' | 'secretBox'>,
  input: NewWorkspace,
): Promise<{ id: number }> =>
  inTransaction(deps, (tx) => withinWorkspaceLimit(tx, input.ownerId, () => createWorkspace(tx, input)))

interface FirstUser {
  name: string
  email: string
  password: string
  workspaceName: string
  country: string
  timeZone: string
}

/**
 * Creates the first user of an empty installation, and a workspace that they own. Returns undefined if there's already a user.
 * A lock makes sure that only one of two concurrent sign-ups succeeds.
 *
 * @throws {ApiError} validation_failed
 */
export const signUp = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox'>,
  input: FirstUser,
): Promise<{ userId: number; workspaceId: number } | undefined> =>
  inTransaction(deps, async (tx) => {
    if (!(await lockUsersIfNone(tx))) return undefined
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
