import type { Deps } from '../../deps.ts'
import { dayMs, minuteMs } from '../../platform/core/durations.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { hashToken, randomToken } from '../../platform/secrets/tokens.ts'
import {
  deleteOtherSessions,
  deleteSession,
  deleteUserSession,
  findSessionRole,
  findSessionWithUser,
  insertSession,
  lockSessionRow,
  selectSessions,
  updateSessionLastSeen,
} from './session-store.ts'
import { lockPassword } from './user-store.ts'
import type { User } from './users.ts'

const ttlMs = 14 * dayMs

/**
 * Signs a user in. The token goes into the cookie; the database stores its hash, so that the session can be revoked. Returns
 * undefined if `passwordHash` is given but isn't the user's anymore: changing a password ends all sessions, including one
 * that starts with the old password at the same time.
 */
export async function startSession(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  userId: number,
  userAgent = '',
  passwordHash?: string,
): Promise<{ token: string; expiresAt: Date } | undefined> {
  const token = randomToken()
  const createdAt = deps.clock.now()
  const expiresAt = new Date(createdAt.getTime() + ttlMs)
  return inTransaction(deps, async (tx) => {
    if (passwordHash !== undefined && !(await lockPassword(tx.db, userId, passwordHash))) return undefined
    await insertSession(tx.db, {
      idHash: hashToken(token),
      userId,
      userAgent: userAgent.slice(0, 500).toWellFormed(),
      createdAt,
      expiresAt,
    })
    return { token, expiresAt }
  })
}

export interface Session {
  user: User
  idHash: Buffer
}

/** The minimum time between two updates of a session's last use, because pages refresh themselves every few seconds. */
const lastSeenIntervalMs = minuteMs

/** Returns the session that a cookie's token belongs to. Undefined if there's none, or it has expired. */
export async function findSession(
  deps: Pick<Deps, 'db' | 'clock'>,
  token: string | undefined,
): Promise<Session | undefined> {
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

/** Returns the role that a session's user has in a workspace now. Undefined if the session or the membership has ended. */
export const getSessionRole = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  session: { idHash: Buffer; workspaceId: number },
): Promise<'owner' | 'member' | undefined> => findSessionRole(db, { ...session, now: clock.now() })

/**
 * Locks a session, for a transaction whose result outlasts the session. Ending the session waits for the transaction. Returns
 * false if the session has ended.
 */
export const lockSession = (tx: Pick<Deps, 'db'>, idHash: Buffer): Promise<boolean> =>
  lockSessionRow(tx.db, idHash)

interface SessionSummary {
  id: number
  /** The browser's User-Agent header. It's untrusted: show it as text. */
  userAgent: string
  since: Date
  lastSeenAt: Date
  /** True for the session that the request belongs to. */
  isCurrent: boolean
}

/** Lists a user's active sessions, the most recently used first. */
export async function listSessions(
  deps: Pick<Deps, 'db' | 'clock'>,
  userId: number,
  currentIdHash: Buffer,
): Promise<SessionSummary[]> {
  const rows = await selectSessions(deps.db, userId, deps.clock.now())
  return rows.map((row) => ({
    id: row.id,
    userAgent: row.user_agent,
    since: row.created_at,
    lastSeenAt: row.last_seen_at,
    isCurrent: row.id_hash.equals(currentIdHash),
  }))
}

/** Ends the session with this token. Does nothing if the token is invalid or its session has already ended. */
export async function endSession(deps: Pick<Deps, 'db'>, token: string | undefined): Promise<void> {
  if (token) await deleteSession(deps.db, hashToken(token))
}

/**
 * Signs a user out of one session.
 *
 * @throws {ApiError} not_found if the session isn't the user's or has already ended
 */
export async function revokeSession(
  deps: Pick<Deps, 'db'>,
  userId: number,
  sessionId: number,
): Promise<void> {
  if (!(await deleteUserSession(deps.db, userId, sessionId)))
    throw new FormError('not_found', 'Session not found.')
}

/** Signs a user out of every session but the current one. Returns the number of sessions that it ended. */
export const revokeOtherSessions = (
  deps: Pick<Deps, 'db'>,
  userId: number,
  currentIdHash: Buffer,
): Promise<number> => deleteOtherSessions(deps.db, userId, currentIdHash)
