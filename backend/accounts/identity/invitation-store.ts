import type { Db } from '../../platform/db/schema.ts'

type Role = 'owner' | 'member'

export const insertInvitation = (
  db: Db,
  workspaceId: number,
  values: { tokenHash: Buffer; email: string; role: Role; invitedBy: number; now: Date; expiresAt: Date },
) =>
  db
    .insertInto('invitation')
    .values({
      workspace_id: workspaceId,
      token_hash: values.tokenHash,
      email: values.email,
      role: values.role,
      invited_by: values.invitedBy,
      created_at: values.now,
      expires_at: values.expiresAt,
    })
    .execute()

/** Deletes an open invitation. Returns false if the workspace has no open invitation with this ID. */
export const deleteInvitation = async (
  db: Db,
  workspaceId: number,
  invitationId: number,
): Promise<boolean> => {
  const deleted = await db
    .deleteFrom('invitation')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', invitationId)
    .where('accepted_at', 'is', null)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** Deletes the open invitations that a user created. */
export const deleteInvitationsByInviter = async (
  db: Db,
  workspaceId: number,
  userId: number,
): Promise<void> => {
  await db
    .deleteFrom('invitation')
    .where('workspace_id', '=', workspaceId)
    .where('invited_by', '=', userId)
    .where('accepted_at', 'is', null)
    .execute()
}

/** Finds an invitation by its link's token. Doesn't filter by workspace, because only the link identifies the workspace. */
export const findInvitation = (db: Db, tokenHash: Buffer) =>
  db
    .selectFrom('invitation')
    .innerJoin('workspace', 'workspace.id', 'invitation.workspace_id')
    .leftJoin('app_user', 'app_user.id', 'invitation.invited_by')
    .select([
      'invitation.workspace_id as workspaceId',
      'workspace.name as workspaceName',
      'invitation.email',
      'invitation.role',
      'invitation.expires_at as expiresAt',
      'invitation.accepted_at as acceptedAt',
      'app_user.name as invitedBy',
    ])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()

/** Locks an invitation, so that a second person who accepts it waits, and then finds it used. */
export const lockInvitation = (db: Db, tokenHash: Buffer) =>
  db
    .selectFrom('invitation')
    .select([
      'id',
      'workspace_id as workspaceId',
      'role',
      'expires_at as expiresAt',
      'accepted_at as acceptedAt',
    ])
    .where('token_hash', '=', tokenHash)
    .forUpdate()
    .executeTakeFirst()

export const markInvitationAccepted = (db: Db, workspaceId: number, invitationId: number, now: Date) =>
  db
    .updateTable('invitation')
    .set({ accepted_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', invitationId)
    .execute()
