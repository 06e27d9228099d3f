import { sql } from 'kysely'
import type { Actor } from '../../../platform/core/actor.ts'
import type { Db } from '../../../platform/db/schema.ts'
import type { ChangedValues, LeftReason, UndoCounts } from '../../../platform/db/tables/call-tables.ts'
import type { ImportJob } from './import-store.ts'
import type { ImportedValues } from './restorable-values.ts'

/** Returns the values that decide whether an import can be undone, and the progress of its undo. */
export const findUndo = (db: Db, workspaceId: number, importId: number) =>
  db
    .selectFrom('contact_import')
    .select((eb) => [
      'status',
      'file_name as fileName',
      'finished_at as finishedAt',
      'expires_at as expiresAt',
      'undone_by as undoneBy',
      'undone_at as undoneAt',
      'undo_after_contact_id as afterContactId',
      'undo_counts as counts',
      eb
        .exists(
          eb
            .selectFrom('contact_import_row')
            .select('position')
            .whereRef('import_id', '=', 'contact_import.id')
            .where('result', 'is not', null),
        )
        .as('hasStarted'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .executeTakeFirst()

/**
 * Starts an undo, or continues one that stopped. Returns false if the undo is already under way or done, or if the import
 * didn't finish after `finishedAfter`.
 */
export async function markUndoStarted(
  db: Db,
  workspaceId: number,
  importId: number,
  { by, finishedAfter }: { by: Actor; finishedAfter: Date },
): Promise<boolean> {
  const row = await db
    .updateTable('contact_import')
    .set({ status: 'undoing', error: null, undone_by: JSON.stringify(by), attempts: 0, lease_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .where('status', 'in', ['done', 'failed'])
    .where('finished_at', '>', finishedAfter)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Saves the progress of an undo, in the transaction that makes the progress. */
export const saveUndoProgress = async (
  db: Db,
  job: ImportJob,
  progress: { counts: UndoCounts; afterContactId: number | null },
): Promise<void> => {
  await db
    .updateTable('contact_import')
    .set({ undo_counts: JSON.stringify(progress.counts), undo_after_contact_id: progress.afterContactId })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .execute()
}

/** Ends an undo. With an error, the import can be undone again. Writes nothing if another process has leased the job. */
export const finishUndo = async (
  db: Db,
  job: ImportJob,
  result: { undoneAt: Date } | { error: string },
): Promise<void> => {
  await db
    .updateTable('contact_import')
    .set(
      'error' in result
        ? { status: 'done', error: result.error, lease_until: null }
        : { status: 'undone', undone_at: result.undoneAt, lease_until: null },
    )
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .where('status', '=', 'undoing')
    .execute()
}

/** Locks the import's next calls that are queued, or that are being placed and aren't canceled, in the order of their IDs. */
export const lockOpenCalls = (db: Db, job: ImportJob, limit: number) =>
  db
    .selectFrom('call')
    .select(['id', 'status'])
    .where('workspace_id', '=', job.workspaceId)
    .where('import_id', '=', job.id)
    .where('status', '<>', 'completed')
    .where((eb) => eb.or([eb('status', '=', 'queued'), eb('canceled_by', 'is', null)]))
    .orderBy('id')
    .limit(limit)
    .forNoKeyUpdate()
    .execute()

/**
 * Assigns locked calls to other imports that found them open and aren't undone. Undoing those imports then cancels the calls.
 * Returns the IDs of these calls. An import that ended before a call was queued can't have found that call, so the import isn't
 * considered.
 */
export async function leaveToOtherImports(
  db: Db,
  { workspaceId, id: importId }: ImportJob,
  callIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    update call set import_id = other.id
    from call as open_call
    cross join lateral (
      select contact_import.id from contact_import
      join contact_import_row as row on row.import_id = contact_import.id
      where contact_import.workspace_id = ${workspaceId} and contact_import.id <> ${importId}
        and contact_import.campaign_id = open_call.campaign_id and contact_import.status not in ('undoing', 'undone')
        and coalesce(contact_import.finished_at >= open_call.queued_at, true)
        and row.phone_number = open_call.to_number and row.call = 'open'
      order by contact_import.id
      limit 1
    ) as other
    where open_call.workspace_id = ${workspaceId} and open_call.id = any(${callIds}::bigint[])
      and call.id = open_call.id
    returning call.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Keeps locked calls that are being placed from getting another attempt. */
export const cancelRetries = async (
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
  by: Actor,
): Promise<void> => {
  await db
    .updateTable('call')
    .set({ canceled_by: JSON.stringify(by) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
}

/** Returns the next contacts that the import created or changed, in the order of their IDs. */
export async function findImportedContacts(
  db: Db,
  job: ImportJob,
  page: { after: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('contact_change')
    .select('contact_id')
    .distinct()
    .where('workspace_id', '=', job.workspaceId)
    .where('import_id', '=', job.id)
    .where('contact_id', '>', page.after)
    .orderBy('contact_id')
    .limit(page.limit)
    .execute()
  return rows.map((row) => row.contact_id)
}

/** Locks contacts in the same order as an import: first their rows, then the contacts, in the order of their numbers. */
export async function lockImportedContacts(
  db: Db,
  job: ImportJob,
  contactIds: readonly number[],
): Promise<void> {
  const areChosen = sql<boolean>`contact.workspace_id = ${job.workspaceId} and contact.id = any(${contactIds}::bigint[])
    and contact.erased_at is null`
  await sql`
    select position from contact_import_row
    where import_id = ${job.id} and phone_number in (select phone_number from contact where ${areChosen})
    order by position
    for update`.execute(db)
  await db
    .selectFrom('contact')
    .select('id')
    .where(areChosen)
    .orderBy('phone_number')
    .forNoKeyUpdate()
    .execute()
}

/** A locked contact with what the import changed. */
export interface ContactToUndo {
  id: number
  phoneNumber: string
  created: boolean
  /** Why the undo keeps a contact that the import created. Null for other contacts, and for one that the undo can remove. */
  leftReason: LeftReason | null
  /**
   * Changes to the contact by the import's rows, except its creation, oldest first. The values are null if they were
   * erased.
   */
  changes: { [Values in keyof ImportedValues]: ImportedValues[Values] | null }[]
  /** The current values, in the same format as those in `changes`. */
  current: ChangedValues
}

/**
 * Reads locked contacts, in the order of their IDs, without those that were erased. This is a separate statement, so that it
 * sees what was committed while the transaction waited for the locks.
 */
export async function readImportedContacts(
  db: Db,
  job: ImportJob,
  contactIds: readonly number[],
): Promise<ContactToUndo[]> {
  const { workspaceId, id: importId } = job
  const ofContact = sql`workspace_id = ${workspaceId} and contact_id = contact.id`
  const { rows } = await sql<ContactToUndo>`
    select contact.id, contact.phone_number as "phoneNumber", imported.created, imported.changes,
      jsonb_build_object(
        'first_name', first_name, 'last_name', last_name, 'email', email, 'external_id', external_id,
        'time_zone', time_zone, 'variables', variables, 'consent_source', consent_source, 'consent_at', consent_at,
        'consent_kind', consent_kind
      ) as current,
      case
        when not imported.created then null
        -- Uses "is not distinct from", for which PostgreSQL can't use the index on import_id. With "=", it might, and would then read
        -- all calls of the import for each contact.
        when exists (
          select from call
          where ${ofContact} and import_id is not distinct from ${importId} and (attempts > 0 or status <> 'completed')
        ) then 'called'
        when exists (select from call where ${ofContact} and import_id is distinct from ${importId}) then 'other_call'
        when exists (select from contact_note where ${ofContact}) then 'note'
        when exists (select from contact_change where ${ofContact} and import_id is distinct from ${importId}) then 'changed'
        when exists (
          select from do_not_call
          where workspace_id = ${workspaceId} and number_hash = hashed.number_hash
            and created_at >= contact.created_at
            and (added_by is null or added_by ->> 'kind' <> 'import' or added_by ->> 'id' <> ${String(importId)})
        ) then 'do_not_call'
        when exists (
          select from contact_import_row as row
          join contact_import as other on other.id = row.import_id
          where other.workspace_id = ${workspaceId} and other.id <> ${importId} and other.status <> 'undone'
            and row.phone_number = contact.phone_number and row.result in ('created', 'updated')
        ) then 'other_import'
        -- Someone saved the contact without changing a value, so contact_change has no row.
        when contact.updated_by ->> 'kind' <> 'import' then 'changed'
      end as "leftReason"
    from contact
    -- "offset 0" makes PostgreSQL compute the hash first, so that an index can find the entry of the do-not-call list.
    cross join lateral (
      select number_hash(${workspaceId}, contact.phone_number) as number_hash offset 0
    ) as hashed
    join lateral (
      select bool_or(kind = 'created') as created,
        coalesce(
          jsonb_agg(jsonb_build_object('oldValues', old_values, 'newValues', new_values) order by change.id)
            filter (where kind = 'updated'),
          '[]'
        ) as changes
      from contact_change as change
      left join contact_change_values as values on values.change_id = change.id
      where workspace_id = ${workspaceId} and change.contact_id = contact.id and import_id = ${importId}
      having count(*) > 0
    ) as imported on true
    where contact.workspace_id = ${workspaceId} and contact.id = any(${contactIds}::bigint[])
      and contact.erased_at is null
    order by contact.id`.execute(db)
  return rows
}

/** Writes values of a locked contact. A trigger adds them to its history. */
export const restoreValues = async (
  db: Db,
  workspaceId: number,
  contactId: number,
  { variables, consent_at: consentAt, ...values }: ChangedValues,
  change: { at: Date; by: Actor },
): Promise<void> => {
  await db
    .updateTable('contact')
    .set({
      ...values,
      ...(variables && { variables: JSON.stringify(variables) }),
      ...(consentAt !== undefined && { consent_at: sql<Date | null>`${consentAt}::timestamptz` }),
      updated_at: change.at,
      updated_by: JSON.stringify(change.by),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .execute()
}

/** Deletes the import's rows of removed contacts. */
export const deleteRowsOf = async (
  db: Db,
  job: ImportJob,
  phoneNumbers: readonly string[],
): Promise<void> => {
  await db
    .deleteFrom('contact_import_row')
    .where('import_id', '=', job.id)
    .where('phone_number', '=', sql<string>`any(${phoneNumbers}::text[])`)
    .execute()
}
