import { sql } from 'kysely'
import { secondMs } from '../../../platform/core/durations.ts'
import type { Db } from '../../../platform/db/schema.ts'
import type { ImportedCall, ImportStatus } from '../../../platform/db/tables/call-tables.ts'
import type { ImportColumn } from './import-columns.ts'
import type { FileConsent } from './parse-consent.ts'
import type { FoundColumns } from './read-columns.ts'
import type { RowIssue } from './row-issue.ts'

/** An import that this process has leased. */
export interface ImportJob {
  id: number
  workspaceId: number
  fence: number
  attempts: number
  status: ImportStatus
  /** True if an erased contact has to be removed from the file first. */
  isErasing: boolean
}

const leaseMs = 30 * secondMs
const newLeaseEnd = sql<Date>`clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'`

export async function insertImport(
  db: Db,
  workspaceId: number,
  file: { userId: number; name: string; bytes: Buffer; at: Date; expiresAt: Date },
): Promise<number> {
  const { id } = await db
    .insertInto('contact_import')
    .values({
      workspace_id: workspaceId,
      user_id: file.userId,
      file_name: file.name,
      bytes: file.bytes,
      created_at: file.at,
      expires_at: file.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Leases imports to work on, including those that a lost process started. Leases at most one per workspace, so that one
 * workspace's files don't make another's wait. In a workspace, the oldest import from which a contact must be erased comes
 * first, and otherwise the oldest import.
 */
export async function leaseImports(db: Db, capacity: number): Promise<ImportJob[]> {
  const { rows } = await sql<ImportJob>`
    update contact_import set fence = fence + 1, attempts = attempts + 1, lease_until = ${newLeaseEnd}
    where id in (
      select id from contact_import
      where id in (
        select (array_agg(id order by erasures = '[]', id))[1] from contact_import
        where status in ('uploaded', 'checking', 'importing', 'undoing') or erasures <> '[]'
        group by workspace_id
        having bool_and(lease_until is null or lease_until < clock_timestamp())
      ) and (lease_until is null or lease_until < clock_timestamp())
      order by id limit ${capacity}
      for no key update skip locked
    )
    returning id, workspace_id as "workspaceId", fence, attempts, status, erasures <> '[]' as "isErasing"`.execute(
    db,
  )
  return rows
}

/**
 * Locks the job and renews its lease, in the transaction of a step. Returns false if another process has leased it, or if the
 * file was discarded. A step of an undo is progress, so it resets the attempts. A step of a check or of a search for erased
 * contacts isn't, because these start over if they fail. An import makes progress when it writes results.
 */
export async function renewImportLease(db: Db, job: ImportJob): Promise<boolean> {
  const renewed = await db
    .updateTable('contact_import')
    .set({ lease_until: newLeaseEnd, ...(job.status === 'undoing' && !job.isErasing && { attempts: 0 }) })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .$if(!job.isErasing, (query) => query.where('status', '=', job.status))
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

/** Releases a job, so that another process doesn't have to wait until the lease ends. The attempt doesn't count. */
export const releaseImport = async (db: Db, job: ImportJob): Promise<void> => {
  await db
    .updateTable('contact_import')
    .set((eb) => ({ lease_until: null, attempts: sql<number>`greatest(${eb.ref('attempts')} - 1, 0)` }))
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .execute()
}

/** The value of `erasures` if no contact has to be removed from the import. */
export const nothingToErase = sql<string>`'[]'::jsonb`

/** Values that clear the content of the file. The rows of the import are stored separately. */
const noContent = { bytes: null, samples: '[]' } as const

/** Finishes a step. Writes nothing if another process has leased the job. */
export const finishImportStep = async (
  db: Db,
  job: ImportJob,
  result: { status: 'checked' | 'done' | 'failed'; error?: string; at: Date },
): Promise<void> => {
  await db
    .updateTable('contact_import')
    .set({
      status: result.status,
      error: result.error ?? null,
      // A checked file keeps its content, because it's checked again if a member changes what its columns contain.
      ...(result.status !== 'checked' && noContent),
      lease_until: null,
      finished_at: result.status === 'checked' ? null : result.at,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .where('status', '=', job.status)
    .execute()
}

/** Returns the file, with the workspace's country and time zone for parsing it. */
export const findImportFile = (db: Db, job: ImportJob) =>
  db
    .selectFrom('contact_import')
    .innerJoin('workspace', 'workspace.id', 'contact_import.workspace_id')
    .select(['bytes', 'columns', 'consent', 'has_header as hasHeader'])
    .select(['workspace.country', 'workspace.time_zone as timeZone'])
    .where('contact_import.workspace_id', '=', job.workspaceId)
    .where('contact_import.id', '=', job.id)
    .executeTakeFirst()

/** Saves the columns of a file, which a person then maps. Call it in a transaction that has renewed the lease. */
export async function saveFoundColumns(
  db: Db,
  job: ImportJob,
  found: FoundColumns & { isRecalled: boolean; consent?: FileConsent | undefined },
): Promise<void> {
  await db
    .updateTable('contact_import')
    .set({
      status: 'mapping',
      columns: JSON.stringify(found.columns),
      samples: JSON.stringify(found.samples),
      has_header: found.hasHeader,
      is_recalled: found.isRecalled,
      ...(found.consent && { consent: JSON.stringify(found.consent) }),
      lease_until: null,
      attempts: 0,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .execute()
}

/**
 * Saves what the columns contain, and queues the check. A file that was checked can be checked again until its import starts.
 *
 * @returns false if the file is no longer stored, or is being processed
 */
export async function markMapped(
  db: Db,
  workspaceId: number,
  importId: number,
  mapping: { columns: readonly ImportColumn[]; consent: FileConsent },
): Promise<boolean> {
  const row = await db
    .updateTable('contact_import')
    .set({
      status: 'checking',
      columns: JSON.stringify(mapping.columns),
      consent: JSON.stringify(mapping.consent),
      is_recalled: false,
      attempts: 0,
      lease_until: null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .where('status', 'in', ['mapping', 'checked'])
    .where('bytes', 'is not', null)
    .where('erasures', '=', nothingToErase)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Queues another check of the files that were checked or are being checked. Locks them in the order of their IDs. Checks in
 * progress stop.
 */
export const markToCheckAgain = async (db: Db, workspaceId: number): Promise<void> => {
  const mapped = db
    .selectFrom('contact_import')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status', 'in', ['checking', 'checked'])
    .where('bytes', 'is not', null)
    .where('erasures', '=', nothingToErase)
    .orderBy('id')
    .forNoKeyUpdate()
  await db
    .updateTable('contact_import')
    .set((eb) => ({ status: 'checking', attempts: 0, lease_until: null, fence: eb('fence', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', mapped)
    .execute()
}

/** Deletes the rows of an earlier check. */
export const deleteImportRows = async (db: Db, job: ImportJob): Promise<void> => {
  await db.deleteFrom('contact_import_row').where('import_id', '=', job.id).execute()
}

export interface CheckedRow {
  position: number
  phone_number: string | null
  fields: unknown
  isDuplicate: boolean
  /** True if an earlier row has the same number, but this row isn't skipped, because it says not to call. */
  isRepeated: boolean
  /** The number of someone who said no to consent in a row that isn't imported. */
  deniedNumber: string | null
  issues: RowIssue[]
  /** The cells of a rejected row, as in the file. */
  cells: string[] | null
}

/** Saves checked rows, and looks up which contacts exist and which numbers are on the do-not-call list. */
export async function insertImportRows(db: Db, job: ImportJob, rows: readonly CheckedRow[]): Promise<void> {
  const { workspaceId } = job
  await sql`
    insert into contact_import_row (import_id, position, phone_number, fields, state, on_do_not_call_list, issues, cells)
    select ${job.id}::bigint, row.position, row.phone_number, row.fields,
      case
        when row.issues <> '[]' and row.phone_number is null then 'invalid'
        when row."isDuplicate" then 'duplicate'
        when contact.id is null and not row."isRepeated" then 'new'
        else 'existing'
      end,
      row.phone_number is not null and do_not_call.number_hash is not null,
      row.issues, nullif(row.cells, 'null')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (position int, phone_number text, fields jsonb, "isDuplicate" boolean, "isRepeated" boolean, issues jsonb, cells jsonb)
    left join contact on contact.workspace_id = ${workspaceId}
      and contact.phone_number = row.phone_number and contact.erased_at is null
    left join do_not_call on do_not_call.workspace_id = ${workspaceId} and do_not_call.number_hash = salted_number_hash(
      (select number_salt from workspace where id = ${workspaceId}), row.phone_number
    )`.execute(db)
}

/** Returns the campaign that was chosen for an import, the user who uploaded the file, and the file's name. */
export const findImportCampaign = (db: Db, job: ImportJob) =>
  db
    .selectFrom('contact_import')
    .select(['campaign_id as campaignId', 'user_id as userId', 'file_name as fileName'])
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .executeTakeFirstOrThrow()

/** The remaining rows to lock: those that say not to call, any rows, or a single row. */
export type RemainingRows = 'do not call' | 'any' | { position: number }

/** Locks the next rows to import, or a single row. Rows are locked before their contacts, as in the erasure of a contact. */
export const lockRemainingRows = (db: Db, job: ImportJob, rows: RemainingRows, limit: number) =>
  db
    .selectFrom('contact_import_row')
    .select(['position', 'fields'])
    .where('import_id', '=', job.id)
    .where('result', 'is', null)
    .where('state', 'in', ['new', 'existing'])
    .$if(rows === 'do not call', (query) => query.where(sql<boolean>`fields @> '{"do_not_call": true}'`))
    .$if(typeof rows === 'object', (query) =>
      query.where('position', '=', typeof rows === 'object' ? rows.position : 0),
    )
    .orderBy('position')
    .limit(limit)
    .forUpdate()
    .execute()

export interface RowResult {
  position: number
  result: 'created' | 'updated' | 'failed'
  call: ImportedCall | null
  issues: RowIssue[]
}

/** Writes the results of imported rows. This is progress, so it resets the attempts. */
export async function writeRowResults(db: Db, job: ImportJob, results: readonly RowResult[]): Promise<void> {
  if (results.length === 0) return
  await sql`
    with progress as (
      update contact_import set attempts = 0 where workspace_id = ${job.workspaceId} and id = ${job.id} and attempts > 0
    )
    update contact_import_row
    set result = done.result, call = done.call, issues = contact_import_row.issues || done.issues
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as done (position int, result text, call text, issues jsonb)
    where import_id = ${job.id} and contact_import_row.position = done.position`.execute(db)
}

/** Starts an import. Returns false if it isn't ready to start, for example because another member has started it. */
export async function markImportStarted(
  db: Db,
  workspaceId: number,
  importId: number,
  campaignId: number | null,
): Promise<boolean> {
  const row = await db
    .updateTable('contact_import')
    .set({ status: 'importing', campaign_id: campaignId, attempts: 0, lease_until: null, ...noContent })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .where('status', '=', 'checked')
    .where('erasures', '=', nothingToErase)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

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
      'contact_import.samples',
      'contact_import.has_header',
      'contact_import.is_recalled',
      'contact_import.consent',
      sql<boolean>`contact_import.bytes is not null`.as('is_stored'),
      sql<boolean>`contact_import.erasures <> '[]'`.as('is_erasing'),
      'contact_import.created_at',
      'contact_import.finished_at',
      'contact_import.campaign_id',
      'campaign.name as campaign_name',
    ])
    .where('contact_import.workspace_id', '=', workspaceId)
    .where('contact_import.id', '=', importId)
    .executeTakeFirst()

/**
 * Deletes an import. A worker that's reading its file stops. Returns false, without deleting the import, while the import
 * changes contacts.
 */
export async function deleteImport(db: Db, workspaceId: number, importId: number): Promise<boolean> {
  const row = await db
    .deleteFrom('contact_import')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .where('status', 'not in', ['importing', 'undoing'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
