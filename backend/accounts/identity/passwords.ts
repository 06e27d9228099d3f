import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import type { Deps } from '../../deps.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'
import { deleteUnusedResets } from './password-reset-store.ts'
import { checkNewPassword, maxPasswordLength, type PasswordOwner } from './password-rules.ts'
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
    const passwordHash = await hashPassword(input.newPassword, user, 'new_password')
    const currentHash = user.passwordHash
    const isReplaced = await replacePassword(tx.db, session.userId, { currentHash, passwordHash })
    if (!isReplaced) throw wrongPasswordError()
    await deleteUnusedResets(tx.db, session.userId)
    await deleteOtherSessions(tx.db, session.userId, session.sessionHash)
  })

/** Limits concurrent hashing. Each hash takes one of libuv's four threads, which files and cryptography need, too. */
const hashing = pLimit(2)
const maxWaiting = 60

/** @throws {ApiError} unavailable if too many computations are waiting */
async function limitHashing<Result>(work: () => Promise<Result>): Promise<Result> {
  if (hashing.pendingCount < maxWaiting) return hashing(work)
  throw new ApiError('unavailable', { headers: { 'Retry-After': '5' } })
}

/**
 * Hashes a new password with Argon2id and the parameters that OWASP recommends, which are the library's defaults
 * (19 MiB, two passes, one lane).
 *
 * @throws {ApiError} `validation_failed` for a password that's too short, too long, common, or contains the name or email
 */
export async function hashPassword(
  password: string,
  owner: PasswordOwner,
  field = 'password',
): Promise<string> {
  await checkNewPassword(password, owner, field)
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
 * Returns true if a password is the user's. If there's no user, verifies another hash, so that response times don't
 * reveal whether a user exists.
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
