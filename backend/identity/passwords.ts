import { hash, verify } from '@node-rs/argon2'
import * as z from 'zod'
import { invalidField, notFound } from '../core/errors.ts'
import { rule, validateByRules } from '../core/validate-rules.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/tokens.ts'
import { deleteUnusedResets } from './password-reset-store.ts'
import { deleteOtherSessions } from './session-store.ts'
import { findPasswordByEmail, findUserWithPassword, replacePassword } from './user-store.ts'

const wrongPasswordError = () =>
  invalidField('current_password', 'wrong_password', 'Incorrect current password. Try again.')

/**
 * Changes a user's own password and ends all their other sessions and reset links, so that anyone who knew the old
 * password loses access.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export const changePassword = (
  deps: Pick<Deps, 'db' | 'notify'>,
  session: { userId: number; sessionHash: Buffer },
  input: { currentPassword: string; newPassword: string },
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const user = await findUserWithPassword(tx.db, session.userId)
    if (user === undefined) throw notFound('User not found.')
    if (!(await passwordMatches(user.passwordHash, input.currentPassword))) throw wrongPasswordError()
    const passwordHash = await hashPassword(input.newPassword, 'new_password')
    const currentHash = user.passwordHash
    const isReplaced = await replacePassword(tx.db, session.userId, { currentHash, passwordHash })
    if (!isReplaced) throw wrongPasswordError()
    await deleteUnusedResets(tx.db, session.userId)
    await deleteOtherSessions(tx.db, session.userId, session.sessionHash)
  })

const minPasswordLength = 10
/** The sign-in form doesn't accept longer passwords. */
const maxPasswordLength = 1024

const NewPassword = z
  .string()
  .refine(
    (password) => password.length >= minPasswordLength,
    rule('too_small', `The password must have at least ${minPasswordLength} characters.`),
  )
  .refine(
    (password) => password.length <= maxPasswordLength,
    rule('too_big', `The password can have at most ${maxPasswordLength} characters.`),
  )

/**
 * Hashes a new password with Argon2id and the parameters that OWASP recommends, which are the library's defaults
 * (19 MiB, two passes, one lane).
 *
 * @throws {ApiError} `validation_failed` for a password that's too short or too long
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  validateByRules(z.object({ [field]: NewPassword }), { [field]: password })
  return hash(password)
}

export const passwordMatches = (passwordHash: string, password: string): Promise<boolean> =>
  password.length > maxPasswordLength ? Promise.resolve(false) : verify(passwordHash, password)

let dummyHash: Promise<string> | undefined

/**
 * Returns the user's ID and the hash that the password was compared with, or undefined if the email or password is
 * wrong. Response times don't reveal which one is wrong, because a hash is verified for unknown users too.
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
  const matches = await verify(user?.passwordHash ?? (await dummyHash), input.password)
  return matches && user ? { userId: user.id, passwordHash: user.passwordHash } : undefined
}
