import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import * as z from 'zod'
import { ApiError } from '../core/errors.ts'
import { FormError, invalidField } from '../core/form-errors.ts'
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
    if (user === undefined) throw new FormError('not_found', 'User not found.')
    if (!(await passwordMatches(user.passwordHash, input.currentPassword))) throw wrongPasswordError()
    const passwordHash = await hashPassword(input.newPassword, 'new_password')
    const currentHash = user.passwordHash
    const isReplaced = await replacePassword(tx.db, session.userId, { currentHash, passwordHash })
    if (!isReplaced) throw wrongPasswordError()
    await deleteUnusedResets(tx.db, session.userId)
    await deleteOtherSessions(tx.db, session.userId, session.sessionHash)
  })

/** Each computation uses one of libuv's four threads, which files and cryptography need too. */
const hashing = pLimit(2)
const maxWaiting = 60

/** @throws {ApiError} unavailable if too many computations are waiting */
async function limitHashing<Result>(work: () => Promise<Result>): Promise<Result> {
  if (hashing.pendingCount < maxWaiting) return hashing(work)
  throw new ApiError('unavailable', { headers: { 'Retry-After': '5' } })
}

const minPasswordLength = 10
/** The sign-in form doesn't accept longer passwords. */
const maxPasswordLength = 1024

const NewPassword = z
  .string()
  .refine(
    (password) => password.length >= minPasswordLength,
    rule('too_small', `The password is too short. Use at least ${minPasswordLength} characters.`),
  )
  .refine(
    (password) => password.length <= maxPasswordLength,
    rule('too_big', `The password is too long. Use at most ${maxPasswordLength} characters.`),
  )

/**
 * Hashes a new password with Argon2id and the parameters that OWASP recommends, which are the library's defaults
 * (19 MiB, two passes, one lane).
 *
 * @throws {ApiError} `validation_failed` for a password that's too short or too long
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  validateByRules(z.object({ [field]: NewPassword }), { [field]: password })
  return limitHashing(() => hash(password))
}

export const passwordMatches = (passwordHash: string, password: string): Promise<boolean> =>
  password.length > maxPasswordLength
    ? Promise.resolve(false)
    : limitHashing(() => verify(passwordHash, password))

/**
 * Finds the user who signs in with an email, and the hash of their password.
 *
 * @param email folded by `foldEmail`
 */
export const findPassword = (
  { db }: Pick<Deps, 'db'>,
  email: string,
): Promise<{ id: number; passwordHash: string } | undefined> => findPasswordByEmail(db, email)

let dummyHash: Promise<string> | undefined

/**
 * Compares a password with a user's. Response times don't reveal whether a user exists, because without a user, a hash
 * is verified too.
 *
 * @throws {ApiError} unavailable if too many passwords are being verified
 */
export const verifyPassword = (
  user: { passwordHash: string } | undefined,
  password: string,
): Promise<boolean> =>
  limitHashing(async () => {
    dummyHash ??= hash(randomToken())
    const matches = await verify(user?.passwordHash ?? (await dummyHash), password)
    return matches && user !== undefined
  })
