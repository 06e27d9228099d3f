import * as z from 'zod'
import { errorCode, invalidField, notFound } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { hashPassword, passwordMatches } from './passwords.ts'
import { findUserWithPassword, insertUser, updateUser } from './user-store.ts'

/** PostgreSQL: a unique index has it already. */
const uniqueViolation = '23505'

/**
 * Changes a person's own name and address. Another address asks for the password, since whoever holds it signs in:
 * somebody at a screen that was left open must not take the account along.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export async function editUser(
  deps: Pick<Deps, 'db'>,
  userId: number,
  input: { email: string; name: string; currentPassword: string },
): Promise<void> {
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

const maxNameLength = 200

/**
 * A person's name and address, trimmed.
 *
 * @throws {ApiError} `validation_failed`
 */
export function checkUser(input: { email: string; name: string }): { email: string; name: string } {
  const email = input.email.trim()
  const name = input.name.trim()
  // What the sign-in form takes: with a longer one nobody could sign in.
  if (email.length > 254 || !z.email().safeParse(email).success) {
    throw invalidField('email', 'invalid_email', `"${email.slice(0, 254)}" is not an e-mail address.`)
  }
  if (name === '') throw invalidField('name', 'required', 'The user needs a name.')
  if (name.length > maxNameLength) {
    throw invalidField('name', 'too_big', `The name must have at most ${maxNameLength} characters.`)
  }
  return { email, name }
}

export const emailTaken = (email: string) =>
  invalidField('email', 'already_used', `There is a user with the address ${email} already.`)

/** @throws {ApiError} `validation_failed` for an address that is none or is taken, and a password too short */
export async function createUser(
  deps: Pick<Deps, 'db'>,
  input: { email: string; name: string; password: string },
): Promise<{ id: number }> {
  const { email, name } = checkUser(input)
  const passwordHash = await hashPassword(input.password)
  const user = await insertUser(deps.db, { email, name, passwordHash })
  if (!user) throw emailTaken(email)
  return user
}
