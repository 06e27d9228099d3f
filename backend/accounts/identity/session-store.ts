import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

export const insertSession = (
  db: Db,
  values: { idHash: Buffer; userId: number; userAgent: string; createdAt: Date; expiresAt: Date },
) =>
  db
    .insertInto('session')
    .values({
      id_hash: values.idHash,
      user_id: values.userId,
      user_agent: values.userAgent,
      created_at: values.createdAt,
      last_seen_at: values.createdAt,
      expires_at: values.expiresAt,
    })
    .execute()

export const findSessionWithUser = (
  db: Db,
  idHash: Buffer,
  now: Date,
): Promise<{ userId: number; email: string; name: string; lastSeenAt: Date } | undefined> =>
  db
    .selectFrom('session')
    .innerJoin('app_user', 'app_user.id', 'session.user_id')
    .select([
      'app_user.id as userId',
      'app_user.email',
      'app_user.name',
      'session.last_seen_at as lastSeenAt',
    ])
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export const deleteSession = (db: Db, idHash: Buffer) =>
  db.deleteFrom('session').where('id_hash', '=', idHash).execute()

export const updateSessionLastSeen = (db: Db, idHash: Buffer, now: Date) =>
  db.updateTable('session').set({ last_seen_at: now }).where('id_hash', '=', idHash).execute()

/** Selects a user's active sessions, the most recently used first. */
export const selectSessions = (db: Db, userId: number, now: Date) =>
  db
    .selectFrom('session')
    .select(['id', 'id_hash', 'user_agent', 'created_at', 'last_seen_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Deletes a session. Returns false if the user has no such session. */
export const deleteUserSession = async (db: Db, userId: number, sessionId: number): Promise<boolean> => {
  const deleted = await db
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** Deletes a user's sessions except one, or all. Returns the number of deleted sessions. */
export const deleteOtherSessions = async (
  db: Db,
  userId: number,
  exceptIdHash: Buffer | null,
): Promise<number> => {
  const deleted = await db
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .$if(exceptIdHash !== null, (query) => query.where('id_hash', '<>', exceptIdHash))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

export async function lockSessionRow(db: Db, idHash: Buffer): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean | null }>`select lock_session(${idHash}) as locked`.execute(db)
  return rows[0]?.locked === true
}

/** Finds the role that a session's user has in a workspace. Undefined if the session has ended or expired. */
export async function findSessionRole(
  db: Db,
  { idHash, workspaceId, now }: { idHash: Buffer; workspaceId: number; now: Date },
): Promise<'owner' | 'member' | undefined> {
  const { rows } = await sql<{ role: 'owner' | 'member' | null }>`
    select find_session_role(${idHash}, ${workspaceId}, ${now}) as role`.execute(db)
  return rows[0]?.role ?? undefined
}
