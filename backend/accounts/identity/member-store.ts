import type { Db } from '../../platform/db/schema.ts'

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

/** Inserts a membership. Returns false if the user is already a member, whose role then stays the same. */
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

/** Returns true if `ownerId` is an owner of all workspaces that the user is a member of, and there's at least one. */
export const ownsAllWorkspacesOf = async (db: Db, userId: number, ownerId: number): Promise<boolean> => {
  const rows = await db
    .selectFrom('membership as m')
    .leftJoin('membership as owned', (join) =>
      join
        .onRef('owned.workspace_id', '=', 'm.workspace_id')
        .on('owned.user_id', '=', ownerId)
        .on('owned.role', '=', 'owner'),
    )
    .select('owned.user_id as owner')
    .where('m.user_id', '=', userId)
    .execute()
  return rows.length > 0 && rows.every(({ owner }) => owner !== null)
}

/**
 * Returns whether the user is a member, and locks the membership. A transaction that ends the membership waits for this one,
 * and so also ends what this one created. Transactions that lock the same membership take turns.
 */
export async function lockMembership(db: Db, workspaceId: number, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('membership')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Locks all workspaces of a user, as `lockWorkspace` does for one, so that no role in them changes. */
export const lockWorkspacesOf = async (db: Db, userId: number): Promise<void> => {
  await db
    .selectFrom('workspace')
    .select('id')
    .where('id', 'in', (eb) =>
      eb.selectFrom('membership').select('workspace_id').where('user_id', '=', userId),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

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

/** Deletes a membership. Returns false if there was none. Records the former member, because pages still show the name. */
export const deleteMembership = async (db: Db, workspaceId: number, userId: number): Promise<boolean> => {
  const deleted = await db
    .deleteFrom('membership')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (deleted.numDeletedRows === 0n) return false
  await db
    .insertInto('former_member')
    .values({ workspace_id: workspaceId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return true
}

/** A workspace as one of its members sees it. */
export interface MemberWorkspace {
  id: number
  name: string
  country: string
  timeZone: string
  role: 'owner' | 'member'
}

export const selectWorkspacesOfUser = (db: Db, userId: number): Promise<MemberWorkspace[]> =>
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

export const countOwnedWorkspaces = async (db: Db, userId: number): Promise<number> => {
  const { count } = await db
    .selectFrom('membership')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return Number(count)
}
