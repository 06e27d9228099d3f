import type { Db } from '../../db/schema.ts'
import type { Person } from '../people/store.ts'

export const insertSession = (
  db: Db,
  values: { idHash: Buffer; userId: number; createdAt: Date; expiresAt: Date },
) =>
  db
    .insertInto('session')
    .values({
      id_hash: values.idHash,
      user_id: values.userId,
      created_at: values.createdAt,
      expires_at: values.expiresAt,
    })
    .execute()

export const findSessionOf = (db: Db, idHash: Buffer, now: Date): Promise<Person | undefined> =>
  db
    .selectFrom('session')
    .innerJoin('app_user', 'app_user.id', 'session.user_id')
    .select(['app_user.id as userId', 'app_user.email', 'app_user.name'])
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export const deleteSession = (db: Db, idHash: Buffer) =>
  db.deleteFrom('session').where('id_hash', '=', idHash).execute()
