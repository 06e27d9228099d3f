import type { Deps } from '../deps.ts'
import { emailTaken, checkUser } from './check-person.ts'
import { hashPassword } from './password.ts'
import { insertUser } from './user-store.ts'

/** @throws {ApiError} `validation_failed` for an address that is none or is taken, and a password too short */
export const createUser =
  (deps: Pick<Deps, 'db'>) =>
  async (input: { email: string; name: string; password: string }): Promise<{ id: number }> => {
    const { email, name } = checkUser(input)
    const passwordHash = await hashPassword(input.password)
    const user = await insertUser(deps.db, { email, name, passwordHash })
    if (!user) throw emailTaken(email)
    return user
  }
