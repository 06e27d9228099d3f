import type { Db } from '../platform/db/schema.ts'

export const findUserId = async (db: Db, email: string): Promise<number | undefined> =>
  (
    await db
      .selectFrom('app_user')
      .select('id')
      .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', eb.fn<string>('lower', [eb.val(email)])))
      .executeTakeFirst()
  )?.id

export const findWorkspace = (db: Db, workspaceId: number) =>
  db.selectFrom('workspace').select('country').where('id', '=', workspaceId).executeTakeFirst()

export const selectUsers = (db: Db) =>
  db.selectFrom('app_user').select(['id', 'email', 'name', 'created_at']).orderBy('id').execute()

export const selectWorkspaces = (db: Db) =>
  db
    .selectFrom('workspace')
    .select(['id', 'name', 'country', 'time_zone', 'created_at'])
    .orderBy('id')
    .execute()

export const selectMembers = (db: Db, workspaceId: number) =>
  db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['email', 'name', 'role', 'membership.created_at as since'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('email')
    .execute()

export const selectApiKeyRows = (db: Db, workspaceId: number) =>
  db
    .selectFrom('api_key')
    .innerJoin('app_user', 'app_user.id', 'api_key.user_id')
    .select([
      'api_key.id',
      'api_key.name',
      'prefix as begins_with',
      'email as of',
      'api_key.created_at',
      'last_used_at',
      'revoked_at',
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('api_key.id')
    .execute()

export const selectOauthClients = async (db: Db) => {
  const rows = await db
    .selectFrom('oauth_client')
    .select(['id as client_id', 'name', 'redirect_uris', 'secret', 'created_at'])
    .orderBy('created_at')
    .execute()
  return rows.map(({ secret, ...row }) => ({ ...row, kind: secret === null ? 'public' : 'confidential' }))
}

export const selectAgents = (db: Db, workspaceId: number) =>
  db
    .selectFrom('agent')
    .select(['id', 'name', 'status', 'language', 'variables', 'widget_id'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()

export const selectPhoneNumbers = (db: Db, workspaceId: number) =>
  db
    .selectFrom('phone_number')
    .select(['id', 'phone_number', 'label', 'country', 'status'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()

/** Selects the active campaigns of all workspaces. */
export const selectActiveCampaigns = (db: Db) =>
  db
    .selectFrom('campaign')
    .select(['workspace_id', 'id', 'name'])
    .where('status', '=', 'active')
    .orderBy('workspace_id')
    .orderBy('id')
    .execute()

export const selectCampaigns = (db: Db, workspaceId: number) =>
  db
    .selectFrom('campaign')
    .select(['id', 'name', 'status', 'agent_id', 'phone_number_id', 'time_zone', 'paused_reason'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
