import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

export type ImportStatus = 'uploaded' | 'checked' | 'importing' | 'done' | 'failed' | 'undoing' | 'undone'

/** Returns the latest imports, newest first. Imports are deleted after a day. */
export const selectImports = (db: Db, workspaceId: number) =>
  db
    .selectFrom('contact_import')
    .select(['id', 'file_name', 'status', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(10)
    .execute()

/** Number of rows by what the import would do with them, and by what it has done. */
export interface ImportCounts {
  rows: number
  new: number
  existing: number
  duplicate: number
  invalid: number
  /** Rows that are imported, but that someone should look at. */
  noted: number
  /** The contacts that are on the list already, and those that a column puts there. */
  on_do_not_call_list: number
  created: number
  updated: number
  failed: number
  queued: number
  open: number
  not_called: number
}

/** An issue of a row that isn't skipped is only a notice. */
const isNoted = "(state in ('new', 'existing') and result is distinct from 'failed')"

export async function countImportRows(db: Db, workspaceId: number, importId: number): Promise<ImportCounts> {
  const count = (condition: string) => sql`count(*) filter (where ${sql.raw(condition)})`
  const { rows } = await sql<ImportCounts>`
    select count(*) as rows,
      ${count("state = 'new'")} as new,
      ${count("state = 'existing'")} as existing,
      ${count("state = 'duplicate'")} as duplicate,
      ${count("state = 'invalid'")} as invalid,
      ${count(`issues <> '[]' and ${isNoted}`)} as noted,
      ${count(`(on_do_not_call_list or fields @> '{"do_not_call": true}') and state in ('new', 'existing')`)}
        as on_do_not_call_list,
      ${count("result = 'created'")} as created,
      ${count("result = 'updated'")} as updated,
      ${count("result = 'failed'")} as failed,
      ${count("call = 'queued'")} as queued,
      ${count("call = 'open'")} as open,
      ${count("call = 'do_not_call'")} as not_called
    from contact_import_row
    where import_id = (select id from contact_import where workspace_id = ${workspaceId} and id = ${importId})`.execute(
    db,
  )
  const [counts] = rows
  if (counts === undefined) throw new Error('invariant: a count returned no row')
  return counts
}

/** Returns the rows that have issues, or only those that are skipped or aren't, in the order of the file. */
export const selectRowsWithIssues = (
  db: Db,
  workspaceId: number,
  importId: number,
  page: { after: number; limit: number; rows?: 'skipped' | 'noted' },
) =>
  db
    .selectFrom('contact_import_row')
    .select(['position', 'issues'])
    .where('import_id', '=', (eb) =>
      eb
        .selectFrom('contact_import')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', importId),
    )
    .where('issues', '<>', sql<string>`'[]'::jsonb`)
    .$if(page.rows === 'skipped', (query) => query.where(sql<boolean>`not ${sql.raw(isNoted)}`))
    .$if(page.rows === 'noted', (query) => query.where(sql<boolean>`${sql.raw(isNoted)}`))
    .where('position', '>', page.after)
    .orderBy('position')
    .limit(page.limit)
    .execute()

export type RowWithIssues = Awaited<ReturnType<typeof selectRowsWithIssues>>[number]
