import { hash } from '@node-rs/argon2'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { invalidField } from '../errors.ts'
import { insertUser } from './people/store.ts'

const shortest = 10

/** @throws {ApiError} `validation_failed` for an address that is none or is taken, and a password too short */
export const createUser =
  (deps: Pick<Deps, 'db'>) =>
  async (input: { email: string; name: string; password: string }): Promise<{ id: number }> => {
    const email = input.email.trim()
    const name = input.name.trim()
    if (!z.email().safeParse(email).success) {
      throw invalidField('email', 'invalid_email', `"${email}" is not an e-mail address.`)
    }
    if (name === '') throw invalidField('name', 'required', 'The user needs a name.')
    if (input.password.length < shortest) {
      throw invalidField('password', 'too_small', `The password must have at least ${shortest} characters.`)
    }
    // Argon2id with OWASP's parameters, the library's defaults: 19 MiB, two passes, one lane.
    const user = await insertUser(deps.db, { email, name, passwordHash: await hash(input.password) })
    if (!user)
      throw invalidField('email', 'already_used', `There is a user with the address ${email} already.`)
    return user
  }
