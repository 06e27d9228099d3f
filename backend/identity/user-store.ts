import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

const lowerEmail = sql<string>`lower(email)`

/** A person as the pages show them. */
export interface User {
  userId: number
  email: string
  name: string
}

export interface Membership {
  workspaceId: number
  workspaceName: string
}

/** Undefined where the address is taken: the index on lower(email) decides. */
export const insertUser = (db: Db, values: { email: string; name: string; passwordHash: string }) =>
  db
    .insertInto('app_user')
    .values({ email: values.email, name: values.name, password_hash: values.passwordHash })
    .onConflict((conflict) => conflict.expression(lowerEmail).doNothing())
    .returning('id')
    .executeTakeFirst()

/** Until the transaction ends, nobody else adds a user. */
export const lockUserTable = async (tx: Db): Promise<void> => {
  await sql`lock table app_user in share row exclusive mode`.execute(tx)
}

export const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('app_user').select('id').limit(1).executeTakeFirst()) !== undefined

export const findPasswordByEmail = (db: Db, email: string) =>
  db
    .selectFrom('app_user')
    .select(['id', 'password_hash'])
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', eb.fn<string>('lower', [eb.val(email)])))
    .executeTakeFirst()

export const upsertMembership = (
  db: Db,
  workspaceId: number,
  values: { userId: number; role: 'owner' | 'member' },
) =>
  db
    .insertInto('membership')
    .values({ workspace_id: workspaceId, user_id: values.userId, role: values.role })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ role: values.role }),
    )
    .execute()

/** Of a user by id, for who is signed in. */
export const findUserWithPassword = (db: Db, userId: number) =>
  db
    .selectFrom('app_user')
    .select(['email', 'name', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirst()

/** Sets a password where the old one is still `was`; false where somebody else changed it meanwhile. */
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

/** False where there was no such membership. */
export const deleteMembership = async (db: Db, workspaceId: number, userId: number): Promise<boolean> => {
  const deleted = await db
    .deleteFrom('membership')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** By name, as a person looks for it. */
export const selectMemberships = (db: Db, userId: number): Promise<Membership[]> =>
  db
    .selectFrom('membership')
    .innerJoin('workspace', 'workspace.id', 'membership.workspace_id')
    .select(['workspace.id as workspaceId', 'workspace.name as workspaceName'])
    .where('user_id', '=', userId)
    .orderBy('workspace.name')
    .orderBy('workspace.id')
    .execute()

/** The workspaces of a user with the role there, by name. */
export const selectWorkspacesOfUser = (
  db: Db,
  userId: number,
): Promise<{ id: number; name: string; country: string; timeZone: string; role: 'owner' | 'member' }[]> =>
  db
    .selectFrom('membership')
    .innerJoin('workspace', 'workspace.id', 'membership.workspace_id')
    .select([
      'workspace.id',
      'workspace.name',
      'workspace.country',
      'workspace.time_zone as timeZone',
      'membership.role',
    ])
    .where('user_id', '=', userId)
    .orderBy('workspace.name')
    .orderBy('workspace.id')
    .execute()

/** Ends every key that a user made in a workspace. Their `credential` rows authenticate, so those go. */
export const revokeApiKeysOfUser = async (
  db: Db,
  workspaceId: number,
  userId: number,
  now: Date,
): Promise<void> => {
  await db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
  await db
    .deleteFrom('credential')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('api_key_id', 'is not', null)
    .execute()
}
