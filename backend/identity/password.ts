import { hash, verify } from '@node-rs/argon2'
import { invalidField } from '../core/errors.ts'

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
