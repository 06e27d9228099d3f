import type { Db } from '../../platform/db/schema.ts'

export async function findUserName(db: Db, userId: number): Promise<string> {
  const user = await db.selectFrom('app_user').select('name').where('id', '=', userId).executeTakeFirst()
  return user?.name || 'a former user'
}

export async function findApiKeyName(
  db: Db,
  workspaceId: number,
  keyId: number,
): Promise<string | undefined> {
  const key = await db
    .selectFrom('api_key')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return key?.name
}

export async function findAppName(db: Db, clientId: string): Promise<string> {
  const app = await db.selectFrom('oauth_client').select('name').where('id', '=', clientId).executeTakeFirst()
  return app?.name ?? 'an app'
}

export async function findAgentName(db: Db, workspaceId: number, agentId: number): Promise<string> {
  const agent = await db
    .selectFrom('agent')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .executeTakeFirst()
  return agent?.name ?? ''
}

export async function isImport(db: Db, workspaceId: number, importId: number): Promise<boolean> {
  const found = await db
    .selectFrom('contact_import')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .executeTakeFirst()
  return found !== undefined
}
