import { dayMs } from '../core/durations.ts'
import { ApiError, notFound } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { hashToken, randomToken } from '../secrets/tokens.ts'
import { findRole, ownsAllWorkspacesOf } from './member-store.ts'
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
 * Makes a link by which a user sets a new password, without any question of whether the asker may: for who
 * runs the installation. An earlier link of the user ends.
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
 * Makes one for a member, by an owner of the workspace. Whoever holds the link can take the account over, so
 * an owner makes one only for who works in no workspace but the owner's own; and none for themselves, since a
 * session alone must not get around the question for the current password.
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
      throw notFound('This user is not a member of this workspace.')
    }
    if (userId === ownerId) throw resetNotAllowed('To change your own password, go to your account page.')
    if (!(await ownsAllWorkspacesOf(tx.db, userId, ownerId))) throw resetNotAllowed(otherWorkspaceMessage)
    return createResetLink(tx, userId, ownerId)
  })

const resetNotAllowed = (message: string) => new ApiError('validation_failed', message)

const otherWorkspaceMessage =
  'You cannot reset this password because this person is also a member of a workspace you do not own. Ask your Outdial administrator to run "npm run admin -- reset-password-link".'

type PasswordReset =
  { state: 'unknown' | 'used' | 'expired' | 'void' } | { state: 'open'; userId: number; email: string }

/** Looks at a reset link, and changes nothing. */
export async function getPasswordReset(
  deps: Pick<Deps, 'db' | 'clock'>,
  token: string,
): Promise<PasswordReset> {
  const reset = await findReset(deps.db, hashToken(token))
  if (reset === undefined) return { state: 'unknown' }
  if (reset.usedAt !== null) return { state: 'used' }
  if (reset.expiresAt <= deps.clock.now()) return { state: 'expired' }
  const { userId, email, createdBy } = reset
  return (await isStillAllowed(deps.db, userId, createdBy))
    ? { state: 'open', userId, email }
    : { state: 'void' }
}

/** Asked again when the link is used: its maker may be no owner any more, or the user works elsewhere. */
const isStillAllowed = async (db: Db, userId: number, createdBy: number | null): Promise<boolean> =>
  createdBy === null || (await ownsAllWorkspacesOf(db, userId, createdBy))

/**
 * Sets the password that a reset link asks for, once, and ends every session of the user. Undefined where the
 * link does not work any more.
 *
 * @throws {ApiError} validation_failed for a password too short
 */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  token: string,
  newPassword: string,
): Promise<number | undefined> {
  const found = await getPasswordReset(deps, token)
  if (found.state !== 'open') return undefined
  const { userId } = found
  const passwordHash = await hashPassword(newPassword, 'new_password')
  return inTransaction(deps, async (tx) => {
    await lockUser(tx.db, userId)
    // After the lock: what it says now stays true.
    const reset = await getPasswordReset(tx, token)
    if (reset.state !== 'open') return undefined
    if (!(await markResetUsed(tx.db, hashToken(token), tx.clock.now()))) return undefined
    await updatePassword(tx.db, userId, passwordHash)
    await deleteOtherSessions(tx.db, userId, null)
    return userId
  })
}
