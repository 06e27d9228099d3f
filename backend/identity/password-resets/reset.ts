import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashPassword } from '../password.ts'
import { updatePassword } from '../user-store.ts'
import { deleteOtherSessions } from '../session-store.ts'
import { getPasswordReset } from './open.ts'
import { lockUser, markResetUsed } from '../password-reset-store.ts'

/**
 * Sets the password that a reset link asks for, once, and ends every session of the user. Undefined where the link
 * does not work any more.
 *
 * @throws {ApiError} validation_failed for a password too short
 */
export const resetPassword =
  (deps: Deps) =>
  async (token: string, newPassword: string): Promise<number | undefined> => {
    const found = await getPasswordReset(deps)(token)
    if (found.state !== 'open') return undefined
    const { userId } = found
    const passwordHash = await hashPassword(newPassword, 'new_password')
    return inTransaction(deps, async (tx) => {
      await lockUser(tx.db, userId)
      // After the lock: what it says now stays true.
      const reset = await getPasswordReset(tx)(token)
      if (reset.state !== 'open') return undefined
      if (!(await markResetUsed(tx.db, hashToken(token), tx.clock.now()))) return undefined
      await updatePassword(tx.db, userId, passwordHash)
      await deleteOtherSessions(tx.db, userId, null)
      return userId
    })
  }
