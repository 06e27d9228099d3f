import type { Db } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import { ownsAllWorkspacesOf } from '../member-store.ts'
import { findReset } from '../password-reset-store.ts'

export type PasswordReset =
  { state: 'unknown' | 'used' | 'expired' | 'void' } | { state: 'open'; userId: number; email: string }

/** Looks at a reset link, and changes nothing. */
export const getPasswordReset =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (token: string): Promise<PasswordReset> => {
    const reset = await findReset(deps.db, hashToken(token))
    if (reset === undefined) return { state: 'unknown' }
    if (reset.usedAt !== null) return { state: 'used' }
    if (reset.expiresAt <= deps.clock.now()) return { state: 'expired' }
    const { userId, email, madeBy } = reset
    return (await isStillAllowed(deps.db, userId, madeBy))
      ? { state: 'open', userId, email }
      : { state: 'void' }
  }

/** Asked again when the link is used: its maker may be no owner any more, or the user works elsewhere. */
const isStillAllowed = async (db: Db, userId: number, madeBy: number | null): Promise<boolean> =>
  madeBy === null || (await ownsAllWorkspacesOf(db, userId, madeBy))
