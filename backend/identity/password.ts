import { hash, verify } from '@node-rs/argon2'
import { invalidField } from '../core/errors.ts'

const shortest = 10
/** What the sign-in form takes: a longer one could never be used. */
const longest = 1024

/**
 * Hashes a new password: Argon2id with OWASP's parameters, the library's defaults (19 MiB, two passes, one lane).
 *
 * @throws {ApiError} `validation_failed` for one that is too short or too long
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (password.length < shortest) {
    throw invalidField(field, 'too_small', `The password must have at least ${shortest} characters.`)
  }
  if (password.length > longest) {
    throw invalidField(field, 'too_big', `The password must have at most ${longest} characters.`)
  }
  return hash(password)
}

export const isPasswordOf = (passwordHash: string, password: string): Promise<boolean> =>
  password.length > longest ? Promise.resolve(false) : verify(passwordHash, password)
