import { hash, verify } from '@node-rs/argon2'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/secret-box.ts'
import { findPasswordByEmail } from './user-store.ts'

let dummyHash: Promise<string> | undefined

/**
 * The user's id and the hash that the password was held against, or undefined for a wrong address or password: which of the two is not told, nor do
 * unknown users answer faster, as a hash is verified for them too.
 */
export const verifyPassword =
  (deps: Pick<Deps, 'db'>) =>
  async (input: {
    email: string
    password: string
  }): Promise<{ userId: number; passwordHash: string } | undefined> => {
    const user = await findPasswordByEmail(deps.db, input.email.trim())
    dummyHash ??= hash(randomToken())
    const matches = await verify(user?.password_hash ?? (await dummyHash), input.password)
    return matches && user ? { userId: user.id, passwordHash: user.password_hash } : undefined
  }
