import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets.ts'
import type { Person } from '../people/store.ts'
import { findSessionOf } from './store.ts'

/** Who is signed in with this cookie; undefined for an unknown, ended or expired one. */
export const findSession =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (token: string | undefined): Promise<Person | undefined> => {
    if (!token) return undefined
    return findSessionOf(deps.db, hashToken(token), deps.clock.now())
  }
