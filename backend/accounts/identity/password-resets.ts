import type { Deps } from '../../deps.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { hashToken, randomToken } from '../../platform/secrets/tokens.ts'
import { findRole, lockWorkspacesOf, ownsAllWorkspacesOf } from './member-store.ts'
import { deleteUnusedResets, findReset, insertReset, markResetUsed } from './password-reset-store.ts'
import { hashPassword } from './passwords.ts'
import { deleteOtherSessions } from './session-store.ts'
import { lockUser, updatePassword } from './user-store.ts'

const ttlMs = dayMs

interface ResetLink {
  link: string
  expiresAt: Date
}

/**
 * Creates a link that lets a user set a new password, and deletes the user's earlier unused links. Doesn't check
 * permissions. `createdBy` is null for a link that an administrator of the installation creates.
 */
export const createResetLink = (
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'notify'>,
  userId: number,
  createdBy: number | null = null,
): Promise<ResetLink> =>
  inTransaction(deps, async (tx) => {
    const token = randomToken()
    const now = tx.clock.now()
    const expiresAt = new Date(now.getTime() + ttlMs)
    await deleteUnusedResets(tx.db, userId)
    await insertReset(tx.db, { tokenHash: hashToken(token), userId, createdBy, now, expiresAt })
    return { link: `${tx.config.publicUrl}/reset-password/${token}`, expiresAt }
  })

/**
 * Creates a link for a member on behalf of an owner of the workspace. Anyone with the link can take over the account,
 * so the owner must own all of the member's workspaces. Owners can't create a link for themselves, because changing
 * your own password requires the current one, not just a session.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const createMemberResetLink = (
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'notify'>,
  workspaceId: number,
  userId: number,
  ownerId: number,
): Promise<ResetLink> =>
  inTransaction(deps, async (tx) => {
    if ((await findRole(tx.db, workspaceId, userId)) === undefined) {
      throw new FormError('not_found', "This user isn't a member of this workspace.")
    }
    if (userId === ownerId) throw resetNotAllowed('To change your own password, go to your account page.')
    if (!(await ownsAllWorkspacesOf(tx.db, userId, ownerId))) throw resetNotAllowed(otherWorkspaceMessage)
    return createResetLink(tx, userId, ownerId)
  })

const resetNotAllowed = (message: string) => new FormError('validation_failed', message)

const otherWorkspaceMessage = `You can't reset this password because this person is also a member of a workspace that you don't own. Ask your Outdial administrator to run "npm run admin -- reset-password-link".`

type PasswordReset =
  | { state: 'unknown' | 'used' | 'expired' | 'void' }
  | { state: 'open'; userId: number; email: string; name: string }

/** Returns the state of a reset link without changing it. */
export async function getPasswordReset(
  deps: Pick<Deps, 'db' | 'clock'>,
  token: string,
): Promise<PasswordReset> {
  const reset = await findReset(deps.db, hashToken(token))
  if (reset === undefined) return { state: 'unknown' }
  if (reset.usedAt !== null) return { state: 'used' }
  if (reset.expiresAt <= deps.clock.now()) return { state: 'expired' }
  const { userId, email, name, createdBy } = reset
  return (await isStillAllowed(deps.db, userId, createdBy))
    ? { state: 'open', userId, email, name }
    : { state: 'void' }
}

/** Checks a link's creator again when the link is used: they may have lost a workspace, or the user may have joined another. */
const isStillAllowed = async (db: Db, userId: number, createdBy: number | null): Promise<boolean> =>
  createdBy === null || (await ownsAllWorkspacesOf(db, userId, createdBy))

/**
 * Sets a new password with a reset link, which works only once, and ends every session of the user. Returns the user's
 * ID, or undefined if the link no longer works.
 *
 * @throws {ApiError} validation_failed for a password that doesn't follow the rules for passwords
 */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  token: string,
  newPassword: string,
): Promise<number | undefined> {
  const found = await getPasswordReset(deps, token)
  if (found.state !== 'open') return undefined
  const { userId } = found
  const passwordHash = await hashPassword(newPassword, found, 'new_password')
  return inTransaction(deps, async (tx) => {
    await lockUser(tx.db, userId)
    await lockWorkspacesOf(tx.db, userId)
    // Checks the link again after locking, so that the result stays true until the transaction ends.
    const reset = await getPasswordReset(tx, token)
    if (reset.state !== 'open') return undefined
    if (!(await markResetUsed(tx.db, hashToken(token), tx.clock.now()))) return undefined
    await updatePassword(tx.db, userId, passwordHash)
    await deleteOtherSessions(tx.db, userId, null)
    return userId
  })
}
