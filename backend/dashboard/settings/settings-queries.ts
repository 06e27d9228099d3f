import type { Db } from '../../platform/db/schema.ts'

/** Returns the invitations that can still be used, newest first. */
export const selectOpenInvitations = (db: Db, workspaceId: number, now: Date) =>
  db
    .selectFrom('invitation')
    .leftJoin('app_user', 'app_user.id', 'invitation.invited_by')
    .select([
      'invitation.id',
      'invitation.email',
      'invitation.role',
      'invitation.expires_at',
      'app_user.name as invited_by_name',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('invitation.id', 'desc')
    .execute()

export type Member = Awaited<ReturnType<typeof selectMembers>>[number]

/** Returns the members of a workspace: owners first, then by name. */
export const selectMembers = (db: Db, workspaceId: number) =>
  db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select([
      'membership.user_id',
      'app_user.name',
      'app_user.email',
      'membership.role',
      'membership.created_at',
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('membership.role', 'desc')
    .orderBy('app_user.name')
    .orderBy('app_user.id')
    .execute()

export const findWorkspaceSettings = (db: Db, workspaceId: number) =>
  db
    .selectFrom('workspace')
    .select(['name', 'country', 'time_zone', 'calling_hours'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
