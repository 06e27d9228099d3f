import type { Deps } from '../deps.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteUnusedResets } from './password-reset-store.ts'
import { hashPassword, passwordMatches } from './password.ts'
import { findUserWithPassword, replacePassword } from './user-store.ts'
import { deleteOtherSessions } from './session-store.ts'

const wrongPasswordError = () =>
  invalidField('current_password', 'wrong_password', 'This is not your current password.')

/**
 * Changes a person's own password, and ends every other session and reset link of theirs: whoever knew the old one is
 * out.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export const changePassword =
  (deps: Deps) =>
  (
    session: { userId: number; sessionHash: Buffer },
    input: { currentPassword: string; newPassword: string },
  ): Promise<void> =>
    inTransaction(deps, async ({ db }) => {
      const user = await findUserWithPassword(db, session.userId)
      if (user === undefined) throw notFound('There is no such user.')
      if (!(await passwordMatches(user.password_hash, input.currentPassword))) throw wrongPasswordError()
      const passwordHash = await hashPassword(input.newPassword, 'new_password')
      const currentHash = user.password_hash
      if (!(await replacePassword(db, session.userId, { currentHash, passwordHash })))
        throw wrongPasswordError()
      await deleteUnusedResets(db, session.userId)
      await deleteOtherSessions(db, session.userId, session.sessionHash)
    })
