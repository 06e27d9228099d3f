import type { Db } from '../db/schema.ts'

/** What a new campaign can be made of: Live agents and active numbers, by name. */
export const selectCampaignChoices = async (db: Db, workspaceId: number) => ({
  agents: await db
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'live')
    .orderBy('name')
    .orderBy('id')
    .execute(),
  numbers: await db
    .selectFrom('phone_number')
    .select(['id', 'label', 'phone_number'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'active')
    .orderBy('label')
    .orderBy('id')
    .execute(),
  defaults: await db
    .selectFrom('workspace')
    .select(['time_zone', 'calling_hours'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow(),
})
