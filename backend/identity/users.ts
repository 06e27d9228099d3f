import type { Deps } from '../deps.ts'
import { errorCode } from '../error-code.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { emailTaken, checkUser } from './check-person.ts'
import { passwordMatches } from './password.ts'
import { findUserWithPassword, updateUser } from './user-store.ts'

/** PostgreSQL: a unique index has it already. */
const uniqueViolation = '23505'

/**
 * Changes a person's own name and address. Another address asks for the password, since whoever holds it signs in:
 * somebody at a screen that was left open must not take the account along.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export const editUser =
  (deps: Pick<Deps, 'db'>) =>
  async (userId: number, input: { email: string; name: string; currentPassword: string }): Promise<void> => {
    const { email, name } = checkUser(input)
    const user = await findUserWithPassword(deps.db, userId)
    if (user === undefined) throw notFound('There is no such user.')
    if (email !== user.email && !(await passwordMatches(user.password_hash, input.currentPassword))) {
      const message = 'This is not your password: it is needed for another e-mail address.'
      throw invalidField('current_password', 'wrong_password', message)
    }
    await updateUser(deps.db, userId, { email, name }).catch((error: unknown) => {
      throw errorCode(error) === uniqueViolation ? emailTaken(email) : error
    })
  }
