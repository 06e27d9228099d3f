import { hash, verify } from '@node-rs/argon2'
import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/tokens.ts'
import { deleteUnusedResets } from './password-reset-store.ts'
import { deleteOtherSessions } from './session-store.ts'
import { findPasswordByEmail, findUserWithPassword, replacePassword } from './user-store.ts'

const wrongPasswordError = () =>
  invalidField('current_password', 'wrong_password', 'This is not your current password.')

/**
 * Changes a person's own password, and ends every other session and reset link of theirs: whoever knew the old one is
 * out.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export const changePassword = (
  deps: Deps,
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

const minPasswordLength = 10
/** What the sign-in form takes: a longer one could never be used. */
const maxPasswordLength = 1024

/**
 * Hashes a new password: Argon2id with OWASP's parameters, the library's defaults (19 MiB, two passes, one lane).
 *
 * @throws {ApiError} `validation_failed` for one that is too short or too long
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (password.length < minPasswordLength) {
    throw invalidField(field, 'too_small', `The password must have at least ${minPasswordLength} characters.`)
  }
  if (password.length > maxPasswordLength) {
    throw invalidField(field, 'too_big', `The password must have at most ${maxPasswordLength} characters.`)
  }
  return hash(password)
}

export const passwordMatches = (passwordHash: string, password: string): Promise<boolean> =>
  password.length > maxPasswordLength ? Promise.resolve(false) : verify(passwordHash, password)

let dummyHash: Promise<string> | undefined

/**
 * The user's id and the hash that the password was held against, or undefined for a wrong address or password: which of the two is not told, nor do
 * unknown users answer faster, as a hash is verified for them too.
 */
export async function verifyPassword(
  deps: Pick<Deps, 'db'>,
  input: {
    email: string
    password: string
  },
): Promise<{ userId: number; passwordHash: string } | undefined> {
  const user = await findPasswordByEmail(deps.db, input.email.trim())
  dummyHash ??= hash(randomToken())
  const matches = await verify(user?.password_hash ?? (await dummyHash), input.password)
  return matches && user ? { userId: user.id, passwordHash: user.password_hash } : undefined
}
