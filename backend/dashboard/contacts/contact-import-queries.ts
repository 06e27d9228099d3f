import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import { selectPageBySize } from '../../platform/db/select-page.ts'

/** Returns the latest imports, newest first. Imports are deleted after seven days. */
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
  /** Rows by the table that shows their issues. */
  skipped: number
  noted: number
  not_blocked: number
  no_consent: number
  /** Rows whose country isn't called. */
  country: number
  /** Rows of numbers that were called so often that they can't be called within 7 days. */
  frequency: number
  /** Rows of numbers that were already on the do-not-call list. */
  on_do_not_call_list: number
  /** Rows that put their numbers on the do-not-call list. */
  do_not_call: number
  created: number
  updated: number
  failed: number
  queued: number
  open: number
  not_called: number
  denied: number
  wrong_country: number
  consent_missing: number
  consent_expired: number
  too_often: number
  no_hour: number
}

/** True for rows that aren't skipped. Their issues are only notices. */
const isImported = "(state in ('new', 'existing') and result is distinct from 'failed')"
const hasOtherIssue = "jsonb_path_exists(issues, '$[*] ? (!exists(@.kind))')"

/** The conditions for the rows of each table of issues. A row can be in several tables. */
const issueConditions = {
  not_blocked: `issues @> '[{"kind": "not_blocked"}]'`,
  no_consent: `issues @> '[{"kind": "no_consent"}]'`,
  country: `issues @> '[{"kind": "country"}]'`,
  frequency: `issues @> '[{"kind": "frequency"}]'`,
  skipped: `${hasOtherIssue} and not ${isImported}`,
  noted: `${hasOtherIssue} and ${isImported}`,
} as const
export type IssueTableName = keyof typeof issueConditions

export async function countImportRows(db: Db, workspaceId: number, importId: number): Promise<ImportCounts> {
  const count = (condition: string) => sql`count(*) filter (where ${sql.raw(condition)})`
  const ofImport = sql`
    import_id = (select id from contact_import where workspace_id = ${workspaceId} and id = ${importId})`
  const { rows } = await sql<ImportCounts>`
    select * from (
      select count(*) as rows,
        ${count("state = 'new'")} as new,
        ${count("state = 'existing'")} as existing,
        ${count("state = 'duplicate'")} as duplicate,
        ${count("state = 'invalid'")} as invalid,
        ${count("on_do_not_call_list and state in ('new', 'existing')")} as on_do_not_call_list,
        ${count(`fields @> '{"do_not_call": true}' and state in ('new', 'existing')`)} as do_not_call,
        ${count("result = 'created'")} as created,
        ${count("result = 'updated'")} as updated,
        ${count("result = 'failed'")} as failed,
        ${count("call = 'queued'")} as queued,
        ${count("call = 'open'")} as open,
        ${count("call = 'do_not_call'")} as not_called,
        ${count("call = 'no_consent'")} as denied,
        ${count("call = 'country_not_allowed'")} as wrong_country,
        ${count("call = 'consent_missing'")} as consent_missing,
        ${count("call = 'consent_expired'")} as consent_expired,
        ${count("call = 'frequency'")} as too_often,
        ${count("call = 'no_permitted_hour'")} as no_hour
      from contact_import_row where ${ofImport}
    ) as all_rows
    -- Counts issues in a separate query, because most rows have none, and an index finds the others.
    cross join (
      select
        ${count(issueConditions.skipped)} as skipped,
        ${count(issueConditions.noted)} as noted,
        ${count(issueConditions.not_blocked)} as not_blocked,
        ${count(issueConditions.no_consent)} as no_consent,
        ${count(issueConditions.country)} as country,
        ${count(issueConditions.frequency)} as frequency
      from contact_import_row where ${ofImport} and issues <> '[]'
    ) as rows_with_issues`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('invariant: a count returned no row')
  return counts
}

/** Returns the rows that have issues, or only those of one table, in the order of the file, up to the size of a page. */
export const selectRowsWithIssues = (
  db: Db,
  workspaceId: number,
  importId: number,
  page: { after: number; limit: number; table?: IssueTableName },
) => {
  const rows = selectRows(db, workspaceId, importId, page)
    .select(['position', 'issues'])
    .where('issues', '<>', sql<string>`'[]'::jsonb`)
    .$if(page.table !== undefined, (query) =>
      query.where(sql<boolean>`${sql.raw(issueConditions[page.table ?? 'noted'])}`),
    )
  return selectPageBySize(db, rows, 'position')
}

export type RowWithIssues = Awaited<ReturnType<typeof selectRowsWithIssues>>[number]

/** Returns the row that has the notice about the whole file. There's at most one such row. */
export const selectFileNotice = (db: Db, workspaceId: number, importId: number) =>
  selectRows(db, workspaceId, importId, { after: 0, limit: 1 })
    .select('issues')
    .where('issues', '<>', sql<string>`'[]'::jsonb`)
    .where(sql<boolean>`issues @> '[{"kind": "file"}]'`)
    .executeTakeFirst()

/** Returns the first rows, as they were read. */
export const selectPreviewRows = (db: Db, workspaceId: number, importId: number, limit: number) =>
  selectRows(db, workspaceId, importId, { after: 0, limit })
    .select(['position', 'phone_number', 'fields', 'state', 'on_do_not_call_list', 'issues'])
    .execute()

export type PreviewRow = Awaited<ReturnType<typeof selectPreviewRows>>[number]

/** Returns the rows that aren't imported because of an error, with their cells or the values that were read from them. */
export const selectRejectedRows = (
  db: Db,
  workspaceId: number,
  importId: number,
  page: { after: number; limit: number },
) => {
  const rows = selectRows(db, workspaceId, importId, page)
    .select(['position', 'issues', 'cells', 'fields'])
    .where('issues', '<>', sql<string>`'[]'::jsonb`)
    .where((eb) => eb.or([eb('state', '=', 'invalid'), eb('result', '=', 'failed')]))
  return selectPageBySize(db, rows, 'position')
}

export type RejectedRow = Awaited<ReturnType<typeof selectRejectedRows>>[number]

const selectRows = (db: Db, workspaceId: number, importId: number, page: { after: number; limit: number }) =>
  db
    .selectFrom('contact_import_row')
    .where('import_id', '=', (eb) =>
      eb
        .selectFrom('contact_import')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', importId),
    )
    .where('position', '>', page.after)
    .orderBy('position')
    .limit(page.limit)
