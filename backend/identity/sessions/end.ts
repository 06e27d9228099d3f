import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets.ts'
import { deleteSession } from './store.ts'

/** Signs out. A token that is none, or none any more, is fine. */
export const endSession =
  (deps: Pick<Deps, 'db'>) =>
  async (token: string | undefined): Promise<void> => {
    if (token) await deleteSession(deps.db, hashToken(token))
  }
