import type { Deps } from '../../deps.ts'
import { selectSessions } from '../session-store.ts'

export interface SessionSummary {
  id: number
  /** As the browser told it, to be shown as text. */
  userAgent: string
  since: Date
  lastSeenAt: Date
  /** The one that asks. */
  isCurrent: boolean
}

/** Where a person is signed in, the last used first. */
export const listSessions =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (userId: number, currentIdHash: Buffer): Promise<SessionSummary[]> => {
    const rows = await selectSessions(deps.db, userId, deps.clock.now())
    return rows.map((row) => ({
      id: row.id,
      userAgent: row.user_agent,
      since: row.created_at,
      lastSeenAt: row.last_seen_at,
      isCurrent: row.id_hash.equals(currentIdHash),
    }))
  }
