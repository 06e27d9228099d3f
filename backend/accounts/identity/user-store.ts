import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

const lowerEmail = sql<string>`lower(email)`

/**
 * Inserts a user and returns its ID. Returns undefined if the email is taken, which the unique index on lower(email)
 * checks.
 */
export const insertUser = (db: Db, values: { email: string; name: string; passwordHash: string }) =>
  db
    .insertInto('app_user')
    .values({ email: values.email, name: values.name, password_hash: values.passwordHash })
    .onConflict((conflict) => conflict.expression(lowerEmail).doNothing())
    .returning('id')
    .executeTakeFirst()

/** Locks the user table, so that no other transaction can add a user before this one ends. */
export const lockUserTable = async (db: Db): Promise<void> => {
  await sql`lock table app_user in share row exclusive mode`.execute(db)
}

export const findAnyUser = (db: Db) => db.selectFrom('app_user').select('id').limit(1).executeTakeFirst()

/** @param email folded by `foldEmail` */
export const findPasswordByEmail = (db: Db, email: string) =>
  db
    .selectFrom('app_user')
    .select(['id', 'password_hash as passwordHash'])
    .where(lowerEmail, '=', email)
    .executeTakeFirst()

/** Finds a signed-in user's details and password hash. */
export const findUserWithPassword = (db: Db, userId: number) =>
  db
    .selectFrom('app_user')
    .select(['email', 'name', 'password_hash as passwordHash'])
    .where('id', '=', userId)
    .executeTakeFirst()

/** Replaces a password if its hash is still `currentHash`. Returns false if it was changed in the meantime. */
export const replacePassword = async (
  db: Db,
  userId: number,
  change: { currentHash: string; passwordHash: string },
): Promise<boolean> => {
  const changed = await db
    .updateTable('app_user')
    .set({ password_hash: change.passwordHash })
    .where('id', '=', userId)
    .where('password_hash', '=', change.currentHash)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

export const updatePassword = (db: Db, userId: number, passwordHash: string) =>
  db.updateTable('app_user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()

export const updateUser = (db: Db, userId: number, values: { email: string; name: string }) =>
  db.updateTable('app_user').set(values).where('id', '=', userId).execute()

/** Locks a user, who then can't join another workspace until the transaction ends. */
export const lockUser = async (db: Db, userId: number): Promise<void> => {
  await db.selectFrom('app_user').select('id').where('id', '=', userId).forUpdate().executeTakeFirst()
}

/** Returns whether a user's password still has this hash, and prevents changes to it until the transaction ends. */
export const lockPassword = async (db: Db, userId: number, passwordHash: string): Promise<boolean> => {
  const row = await db
    .selectFrom('app_user')
    .select('id')
    .where('id', '=', userId)
    .where('password_hash', '=', passwordHash)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}
