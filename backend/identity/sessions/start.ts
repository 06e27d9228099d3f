import type { Deps } from '../../deps.ts'
import { hashToken, randomToken } from '../../secrets.ts'
import { insertSession } from './store.ts'

const lifetimeMs = 14 * 24 * 60 * 60 * 1000

/** Signs a user in. The token goes into the cookie; the database keeps its hash, so that it can be revoked. */
export const startSession =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (userId: number, userAgent = ''): Promise<{ token: string; expiresAt: Date }> => {
    const token = randomToken()
    const createdAt = deps.clock.now()
    const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
    await insertSession(deps.db, {
      idHash: hashToken(token),
      userId,
      userAgent: userAgent.slice(0, 500).toWellFormed(),
      createdAt,
      expiresAt,
    })
    return { token, expiresAt }
  }
