import type { Deps } from '../deps.ts'
import { hashToken, randomToken } from '../secrets/secret-box.ts'
import { inTransaction } from '../db/transaction.ts'
import { lockPassword, insertSession } from './session-store.ts'

const ttlMs = 14 * 24 * 60 * 60 * 1000

/**
 * Signs a user in. The token goes into the cookie; the database keeps its hash, so that it can be revoked. With
 * `passwordHash`, only while that is the user's: who changes a password ends all sessions, and one that began by the
 * old password at that moment must not stay.
 */
export const startSession =
  (deps: Deps) =>
  async (
    userId: number,
    userAgent = '',
    passwordHash?: string,
  ): Promise<{ token: string; expiresAt: Date } | undefined> => {
    const token = randomToken()
    const createdAt = deps.clock.now()
    const expiresAt = new Date(createdAt.getTime() + ttlMs)
    return inTransaction(deps, async ({ db }) => {
      if (passwordHash !== undefined && !(await lockPassword(db, userId, passwordHash))) return undefined
      await insertSession(db, {
        idHash: hashToken(token),
        userId,
        userAgent: userAgent.slice(0, 500).toWellFormed(),
        createdAt,
        expiresAt,
      })
      return { token, expiresAt }
    })
  }
