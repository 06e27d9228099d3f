import type { Db } from '../db/schema.ts'

/** Campaigns and agents to choose from, by name. */
export async function findFilterOptions(db: Db, workspaceId: number) {
  const [campaigns, agents] = await Promise.all([
    db
      .selectFrom('campaign')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('name')
      .limit(500)
      .execute(),
    db
      .selectFrom('agent')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('name')
      .limit(500)
      .execute(),
  ])
  return { campaigns, agents }
}
