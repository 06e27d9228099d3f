import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

export type ImportStatus = 'uploaded' | 'checked' | 'importing' | 'done' | 'failed'

/** The imports of the last day, the latest first. */
export const selectImports = (db: Db, workspaceId: number) =>
  db
    .selectFrom('contact_import')
    .select(['id', 'file_name', 'status', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(10)
    .execute()

export const findImport = (db: Db, workspaceId: number, importId: number) =>
  db
    .selectFrom('contact_import')
    .leftJoin('campaign', 'campaign.id', 'contact_import.campaign_id')
    .select([
      'contact_import.id',
      'contact_import.file_name',
      'contact_import.status',
      'contact_import.problem',
      'contact_import.columns',
      'contact_import.created_at',
      'contact_import.finished_at',
      'contact_import.campaign_id',
      'campaign.name as campaign_name',
    ])
    .where('contact_import.workspace_id', '=', workspaceId)
    .where('contact_import.id', '=', importId)
    .executeTakeFirst()

/** How many rows would do what, and what has been done. Of an import that was found in its workspace. */
export interface ImportCounts {
  rows: number
  new: number
  known: number
  duplicate: number
  wrong: number
  refused: number
  created: number
  updated: number
  failed: number
  queued: number
  open: number
  not_called: number
}

export async function countImportRows(db: Db, importId: number): Promise<ImportCounts> {
  const count = (condition: string) => sql`count(*) filter (where ${sql.raw(condition)})`
  const { rows } = await sql<ImportCounts>`
    select count(*) as rows,
      ${count("state = 'new'")} as new,
      ${count("state = 'known'")} as known,
      ${count("state = 'duplicate'")} as duplicate,
      ${count("state = 'wrong'")} as wrong,
      ${count("is_refused and state in ('new', 'known')")} as refused,
      ${count("result = 'created'")} as created,
      ${count("result = 'updated'")} as updated,
      ${count("result = 'failed'")} as failed,
      ${count("call = 'queued'")} as queued,
      ${count("call = 'open'")} as open,
      ${count("call = 'refused'")} as not_called
    from contact_import_row where import_id = ${importId}`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('a count told nothing')
  return counts
}

/** Rows with something to say about them, in the order of the file. */
export const selectRowsWithIssues = (db: Db, importId: number, page: { after: number; limit: number }) =>
  db
    .selectFrom('contact_import_row')
    .select(['position', 'problems'])
    .where('import_id', '=', importId)
    .where('problems', '<>', sql<string>`'[]'::jsonb`)
    .where('position', '>', page.after)
    .orderBy('position')
    .limit(page.limit)
    .execute()

/** Decides who starts it, of several who press the button. */
export async function markImportStarted(
  db: Db,
  workspaceId: number,
  importId: number,
  campaignId: number | null,
): Promise<boolean> {
  const row = await db
    .updateTable('contact_import')
    .set({ status: 'importing', campaign_id: campaignId, tries: 0, lease_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .where('status', '=', 'checked')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

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
