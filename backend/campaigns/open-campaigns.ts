import type { Db } from '../db/schema.ts'

/** The campaigns that take calls, by name. */
export const selectOpenCampaigns = (db: Db, workspaceId: number) =>
  db
    .selectFrom('campaign')
    .select(['id', 'name', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'archived')
    .orderBy('name')
    .orderBy('id')
    .execute()
