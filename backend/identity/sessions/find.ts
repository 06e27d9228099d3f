import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import type { User } from '../user-store.ts'
import { findSessionWithUser, updateSessionLastSeen } from '../session-store.ts'

export interface Session {
  user: User
  idHash: Buffer
}

/** A session's last use is noted this precisely: pages ask for themselves every few seconds. */
const lastSeenIntervalMs = 60_000

/** Who is signed in with this cookie; undefined for an unknown, ended or expired one. */
export const findSession =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (token: string | undefined): Promise<Session | undefined> => {
    if (!token) return undefined
    const idHash = hashToken(token)
    const now = deps.clock.now()
    const row = await findSessionWithUser(deps.db, idHash, now)
    if (row === undefined) return undefined
    const { lastSeenAt, ...user } = row
    if (now.getTime() - lastSeenAt.getTime() > lastSeenIntervalMs)
      await updateSessionLastSeen(deps.db, idHash, now)
    return { user, idHash }
  }
