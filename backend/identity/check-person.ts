import * as z from 'zod'
import { invalidField } from '../core/errors.ts'

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
