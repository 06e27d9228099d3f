import type { Db } from '../../platform/db/schema.ts'

export const insertReset = (
  db: Db,
  values: { tokenHash: Buffer; userId: number; createdBy: number | null; now: Date; expiresAt: Date },
) =>
  db
    .insertInto('password_reset')
    .values({
      token_hash: values.tokenHash,
      user_id: values.userId,
      created_by: values.createdBy,
      created_at: values.now,
      expires_at: values.expiresAt,
    })
    .execute()

export const deleteUnusedResets = async (db: Db, userId: number): Promise<void> => {
  await db.deleteFrom('password_reset').where('user_id', '=', userId).where('used_at', 'is', null).execute()
}

export const findReset = (db: Db, tokenHash: Buffer) =>
  db
    .selectFrom('password_reset')
    .innerJoin('app_user', 'app_user.id', 'password_reset.user_id')
    .select([
      'app_user.id as userId',
      'app_user.email',
      'app_user.name',
      'password_reset.created_by as createdBy',
      'password_reset.expires_at as expiresAt',
      'password_reset.used_at as usedAt',
    ])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()

/** Marks a link as used. Returns false if it was already used, has expired, or was deleted. */
export const markResetUsed = async (db: Db, tokenHash: Buffer, now: Date): Promise<boolean> => {
  const used = await db
    .updateTable('password_reset')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return used.numUpdatedRows > 0n
}
