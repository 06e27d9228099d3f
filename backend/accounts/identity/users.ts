import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { errorCode } from '../../platform/core/errors.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { rule, validateByRules } from '../../platform/core/validate-rules.ts'
import { hashPassword, passwordMatches } from './passwords.ts'
import { findAnyUser, findUserWithPassword, insertUser, lockUserTable, updateUser } from './user-store.ts'

/** A user, as pages show it. */
export interface User {
  userId: number
  email: string
  name: string
}

/** PostgreSQL's error code for a value that a unique index already contains. */
const uniqueViolation = '23505'

/**
 * Changes a user's own name and email. A new email requires the password, because users sign in with their email:
 * someone who finds a signed-in browser must not be able to take over the account.
 *
 * @throws {ApiError} validation_failed, not_found
 */
export async function editUser(
  deps: Pick<Deps, 'db'>,
  userId: number,
  input: { email: string; name: string; currentPassword: string },
): Promise<void> {
  const { email, name } = validateByRules(UserInput, input)
  const user = await findUserWithPassword(deps.db, userId)
  if (user === undefined) throw new FormError('not_found', 'User not found.')
  if (email !== user.email && !(await passwordMatches(user.passwordHash, input.currentPassword))) {
    const message = 'Incorrect password. Enter your current password to change your email.'
    throw invalidField('current_password', 'wrong_password', message)
  }
  await updateUser(deps.db, userId, { email, name }).catch((error: unknown) => {
    throw errorCode(error) === uniqueViolation ? emailTaken(email) : error
  })
}

/** Maximum length of an email. The sign-in form doesn't accept longer ones, either. */
const maxEmailLength = 254
const maxNameLength = 200

const Email = z
  .string()
  .trim()
  .refine(
    (email) => email.length <= maxEmailLength && z.email().safeParse(email).success,
    rule(
      'invalid_email',
      (email) => `"${email.slice(0, maxEmailLength)}" isn't a valid email. Enter it like name@example.com.`,
    ),
  )

const UserInput = z.object({
  email: Email,
  name: z
    .string()
    .trim()
    .refine((name) => name !== '', rule('required', 'Enter a name.'))
    .refine(
      (name) => name.length <= maxNameLength,
      rule('too_big', `The name can have at most ${maxNameLength} characters. Shorten it.`),
    ),
})

/**
 * Returns an email in the form in which emails are compared and sign-in attempts are counted, or undefined if no user can have
 * it. Users' emails are ASCII, because JavaScript and PostgreSQL disagree on other lowercase letters: only one of them converts
 * `İ` to `i`.
 */
export function foldEmail(email: string): string | undefined {
  const trimmed = email.trim()
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed.toLowerCase() : undefined
}

/**
 * Trims and validates an email.
 *
 * @throws {ApiError} validation_failed
 */
export const checkEmail = (email: string): string =>
  validateByRules(z.object({ email: Email }), { email }).email

const emailTaken = (email: string) =>
  invalidField('email', 'already_used', `The email ${email} is already in use. Enter a different one.`)

/** @throws {ApiError} `validation_failed` for an invalid name, email, or password, or an email that's already in use */
export async function createUser(
  deps: Pick<Deps, 'db'>,
  input: { email: string; name: string; password: string },
): Promise<{ id: number }> {
  const { email, name } = validateByRules(UserInput, input)
  const passwordHash = await hashPassword(input.password, { email, name })
  const user = await insertUser(deps.db, { email, name, passwordHash })
  if (!user) throw emailTaken(email)
  return user
}

/** Returns whether anyone can sign in to this installation. */
export const hasUsers = async (deps: Pick<Deps, 'db'>): Promise<boolean> =>
  (await findAnyUser(deps.db)) !== undefined

/** Returns true if there's no user yet, and locks the table, so that no other transaction can add one until this one ends. */
export async function lockUsersIfNone(tx: Pick<Deps, 'db'>): Promise<boolean> {
  await lockUserTable(tx.db)
  // Looks for users in a separate statement, because the one that locks doesn't see what was committed while it waited.
  return !(await hasUsers(tx))
}
