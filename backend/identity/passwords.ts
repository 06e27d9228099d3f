import type { Deps } from '../deps.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { endResetsOf } from './password-reset-store.ts'
import { hashPassword, isPasswordOf } from './password.ts'
import { findPersonWithPassword, replacePassword } from './user-store.ts'
import { deleteOtherSessions } from './session-store.ts'

const wrong = () => invalidField('current_password', 'wrong_password', 'This is not your current password.')

/**
 * Changes a person's own password, and ends every other session and reset link of theirs: whoever knew the old one is
 * out.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export const changePassword =
  (deps: Deps) =>
  (
    who: { userId: number; sessionHash: Buffer },
    input: { currentPassword: string; newPassword: string },
  ): Promise<void> =>
    inTransaction(deps, async ({ db }) => {
      const person = await findPersonWithPassword(db, who.userId)
      if (person === undefined) throw notFound('There is no such user.')
      if (!(await isPasswordOf(person.password_hash, input.currentPassword))) throw wrong()
      const passwordHash = await hashPassword(input.newPassword, 'new_password')
      const was = person.password_hash
      if (!(await replacePassword(db, who.userId, { was, passwordHash }))) throw wrong()
      await endResetsOf(db, who.userId)
      await deleteOtherSessions(db, who.userId, who.sessionHash)
    })
