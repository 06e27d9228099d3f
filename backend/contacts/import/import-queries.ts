import type { Db } from '../../db/schema.ts'

export const findImport = (db: Db, workspaceId: number, importId: number) =>
  db
    .selectFrom('contact_import')
    .leftJoin('campaign', 'campaign.id', 'contact_import.campaign_id')
    .select([
      'contact_import.id',
      'contact_import.file_name',
      'contact_import.status',
      'contact_import.error',
      'contact_import.columns',
      'contact_import.created_at',
      'contact_import.finished_at',
      'contact_import.campaign_id',
      'campaign.name as campaign_name',
    ])
    .where('contact_import.workspace_id', '=', workspaceId)
    .where('contact_import.id', '=', importId)
    .executeTakeFirst()

/** Not while somebody works on it. */
export async function deleteImport(db: Db, workspaceId: number, importId: number): Promise<boolean> {
  const row = await db
    .deleteFrom('contact_import')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .where('status', 'in', ['checked', 'done', 'failed'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
