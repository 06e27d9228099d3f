import type { Db } from '../db/schema.ts'

export interface Member {
  userId: number
  name: string
  email: string
  role: 'owner' | 'member'
  since: Date
}

/** Owners first, then by name. */
export const selectMembers = (db: Db, workspaceId: number): Promise<Member[]> =>
  db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select([
      'app_user.id as userId',
      'app_user.name',
      'app_user.email',
      'membership.role',
      'membership.created_at as since',
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('membership.role', 'desc')
    .orderBy('app_user.name')
    .orderBy('app_user.id')
    .execute()

/** Who changes roles or ends memberships of this workspace waits until the transaction ends. */
export const lockMembers = async (tx: Db, workspaceId: number): Promise<void> => {
  await tx
    .selectFrom('workspace')
    .select('id')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export const findRole = async (
  db: Db,
  workspaceId: number,
  userId: number,
): Promise<'owner' | 'member' | undefined> => {
  const row = await db
    .selectFrom('membership')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role
}

export const hasOtherOwner = async (db: Db, workspaceId: number, userId: number): Promise<boolean> => {
  const other = await db
    .selectFrom('membership')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export const updateRole = (db: Db, workspaceId: number, userId: number, role: 'owner' | 'member') =>
  db
    .updateTable('membership')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()

/** False where the user is a member already: the role stays. */
export const insertMembershipIfNew = async (
  db: Db,
  workspaceId: number,
  values: { userId: number; role: 'owner' | 'member' },
): Promise<boolean> => {
  const row = await db
    .insertInto('membership')
    .values({ workspace_id: workspaceId, user_id: values.userId, role: values.role })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a user is a member of workspaces, and each of them is this owner's. */
export const ownsAllWorkspacesOf = async (db: Db, userId: number, ownerId: number): Promise<boolean> => {
  const rows = await db
    .selectFrom('membership as m')
    .leftJoin('membership as own', (join) =>
      join
        .onRef('own.workspace_id', '=', 'm.workspace_id')
        .on('own.user_id', '=', ownerId)
        .on('own.role', '=', 'owner'),
    )
    .select('own.user_id as owner')
    .where('m.user_id', '=', userId)
    .execute()
  return rows.length > 0 && rows.every(({ owner }) => owner !== null)
}
