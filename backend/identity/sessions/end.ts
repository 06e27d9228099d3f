import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import { deleteSession } from '../session-store.ts'

/** Signs out. A token that is none, or none any more, is fine. */
export const endSession =
  (deps: Pick<Deps, 'db'>) =>
  async (token: string | undefined): Promise<void> => {
    if (token) await deleteSession(deps.db, hashToken(token))
  }
