import type { Deps } from '../../deps.ts'
import { selectSessionsOf } from '../session-store.ts'

export interface OwnSession {
  id: number
  /** As the browser told it, to be shown as text. */
  userAgent: string
  since: Date
  lastSeenAt: Date
  /** The one that asks. */
  isThis: boolean
}

/** Where a person is signed in, the last used first. */
export const listSessions =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (userId: number, own: Buffer): Promise<OwnSession[]> => {
    const rows = await selectSessionsOf(deps.db, userId, deps.clock.now())
    return rows.map((row) => ({
      id: row.id,
      userAgent: row.user_agent,
      since: row.created_at,
      lastSeenAt: row.last_seen_at,
      isThis: row.id_hash.equals(own),
    }))
  }
