import type { Deps } from '../deps.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { hashToken, randomToken } from '../secrets/secret-box.ts'
import { inTransaction } from '../db/transaction.ts'
import { findRole, ownsAllWorkspacesOf } from './member-store.ts'
import { deleteUnusedResets, insertReset } from './password-reset-store.ts'

/** 24 hours, in milliseconds. */
const ttlMs = 24 * 3_600_000

interface ResetLink {
  link: string
  expiresAt: Date
}

/**
 * Makes a link by which a user sets a new password, without any question of whether the asker may: for who runs the
 * installation. An earlier link of the user ends.
 */
export const createResetLink =
  (deps: Deps) =>
  (userId: number, madeBy: number | null = null): Promise<ResetLink> =>
    inTransaction(deps, async ({ db, clock, config }) => {
      const token = randomToken()
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + ttlMs)
      await deleteUnusedResets(db, userId)
      await insertReset(db, { tokenHash: hashToken(token), userId, madeBy, now, expiresAt })
      return { link: `${config.publicUrl}/reset-password/${token}`, expiresAt }
    })

/**
 * Makes one for a member, by an owner of the workspace. Whoever holds the link can take the account over, so an owner
 * makes one only for who works in no workspace but the owner's own; and none for themselves, since a session alone
 * must not get around the question for the current password.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const createMemberResetLink =
  (deps: Deps) =>
  (input: { workspaceId: number; userId: number; ownerId: number }): Promise<ResetLink> =>
    inTransaction(deps, async (tx) => {
      const { workspaceId, userId, ownerId } = input
      if ((await findRole(tx.db, workspaceId, userId)) === undefined) {
        throw notFound('This user is not a member of this workspace.')
      }
      if (userId === ownerId) throw resetNotAllowed('Change your own password on your account’s page.')
      if (!(await ownsAllWorkspacesOf(tx.db, userId, ownerId))) throw resetNotAllowed(otherWorkspaceMessage)
      return createResetLink(tx)(userId, ownerId)
    })

const resetNotAllowed = (message: string) => new ApiError('validation_failed', message)

const otherWorkspaceMessage =
  'This person also works in a workspace that you do not own, and the link would open that, too: only who runs this installation can make it, with "npm run admin -- reset-password-link".'
