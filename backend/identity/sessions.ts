import { dayMs, minuteMs } from '../core/durations.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { hashToken, randomToken } from '../secrets/tokens.ts'
import {
  deleteOtherSessions,
  deleteSession,
  deleteUserSession,
  findSessionWithUser,
  insertSession,
  selectSessions,
  updateSessionLastSeen,
} from './session-store.ts'
import { lockPassword } from './user-store.ts'
import type { User } from './users.ts'

const ttlMs = 14 * dayMs

/**
 * Signs a user in. The token goes into the cookie; the database keeps its hash, so that it can be revoked.
 * With `passwordHash`, only while that is the user's: who changes a password ends all sessions, and one that
 * began by the old password at that moment must not stay.
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

/** How precisely a session's last use is recorded: pages refresh themselves every few seconds. */
const lastSeenIntervalMs = minuteMs

/** Who is signed in with this cookie; undefined for an unknown, ended or expired one. */
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

interface SessionSummary {
  id: number
  /** As the browser told it, to be shown as text. */
  userAgent: string
  since: Date
  lastSeenAt: Date
  /** The one that asks. */
  isCurrent: boolean
}

/** Where a person is signed in, the last used first. */
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
  if (!(await deleteUserSession(deps.db, userId, sessionId))) throw notFound('There is no such session.')
}

/** Signs a user out of every session but the current one. Returns the number of sessions that it ended. */
export const revokeOtherSessions = (
  deps: Pick<Deps, 'db'>,
  userId: number,
  currentIdHash: Buffer,
): Promise<number> => deleteOtherSessions(deps.db, userId, currentIdHash)
