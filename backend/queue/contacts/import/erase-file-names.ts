import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { minuteMs } from '../../../platform/core/durations.ts'
import { describeError } from '../../../platform/core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../../../platform/core/periodic.ts'
import type { PersonNames } from '../../../platform/db/erasure.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { namesPerson } from './find-person.ts'

// An import copies the name of its file to everything that it changes. The copies stay when the import is deleted.

/**
 * Returns the imports, including deleted ones, whose file name identifies the contact. Call it before the contact is locked.
 */
export async function findImportsNaming(db: Db, workspaceId: number, person: PersonNames): Promise<number[]> {
  const sources = [
    { table: sql.table('contact_change'), actor: sql.ref('actor') },
    { table: sql.table('call'), actor: sql.ref('origin') },
  ]
  const found = new Set<number>()
  for (const { table, actor } of sources) {
    // Reads each import's ID and one of its rows, instead of all rows.
    const { rows } = await sql<{ importId: number; name: string | null }>`
      with recursive import as (
        select min(import_id) as id from ${table} where workspace_id = ${workspaceId} and import_id is not null
        union all
        select (
          select min(import_id) from ${table} where workspace_id = ${workspaceId} and import_id > import.id
        ) from import where id is not null
      )
      select id as "importId", (
        select ${actor} ->> 'name' from ${table}
        where workspace_id = ${workspaceId} and import_id = import.id and ${actor} ? 'name'
        limit 1
      ) as name
      from import where id is not null`.execute(db)
    for (const { importId, name } of rows) if (name !== null && namesPerson(name, person)) found.add(importId)
  }
  return [...found]
}

/** Queues imports for the job that removes the name of their file. */
export const queueNameErasure = async (
  db: Db,
  workspaceId: number,
  importIds: readonly number[],
): Promise<void> => {
  if (importIds.length === 0) return
  await db
    .insertInto('erased_file_name')
    .values(importIds.map((id) => ({ workspace_id: workspaceId, import_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Starts a job that removes erased names of files from contacts, their history, calls, and the do-not-call list. */
export const startFileNameErasure = ({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>): PeriodicJob =>
  startPeriodicJob(clock, {
    name: 'file_name_erasure',
    intervalMs: minuteMs,
    maxRunMs: 5 * minuteMs,
    work: () => eraseNextFileNames(db),
    onError: (error) => log.error({ error: describeError(error) }, 'failed to erase the names of files'),
  })

/** The maximum number of rows per statement. */
const batchSize = 1_000

/**
 * Removes the name of one import's file from a batch of rows of each table. Locks rows in the same order as imports do, and
 * only the rows of one table at a time.
 *
 * @returns true if there's more to do
 */
async function eraseNextFileNames(db: Db): Promise<boolean> {
  const next = await db
    .selectFrom('erased_file_name')
    .select(['workspace_id as workspaceId', 'import_id as importId'])
    .orderBy('workspace_id')
    .orderBy('import_id')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return false
  const { workspaceId, importId } = next
  const isOfImport = (actor: string) => sql`workspace_id = ${workspaceId}
    and ${sql.ref(actor)} @> ${JSON.stringify({ kind: 'import', id: importId })}::jsonb and ${sql.ref(actor)} ? 'name'`
  const statements = [
    sql`update contact set updated_by = updated_by - 'name' where workspace_id = ${workspaceId} and id in (
      select id from contact where ${isOfImport('updated_by')} order by phone_number limit ${batchSize} for no key update
    )`,
    sql`update contact_change set actor = actor - 'name' where workspace_id = ${workspaceId} and id in (
      select id from contact_change where ${isOfImport('actor')} and import_id = ${importId}
      order by id limit ${batchSize} for no key update
    )`,
    sql`update call set origin = origin - 'name' where workspace_id = ${workspaceId} and id in (
      select id from call where ${isOfImport('origin')} and import_id = ${importId}
      order by id limit ${batchSize} for no key update
    )`,
    sql`update do_not_call set added_by = added_by - 'name' where workspace_id = ${workspaceId} and number_hash in (
      select number_hash from do_not_call where ${isOfImport('added_by')}
      order by number_hash limit ${batchSize} for no key update
    )`,
  ]
  let changed = 0n
  for (const statement of statements) changed += (await statement.execute(db)).numAffectedRows ?? 0n
  if (changed === 0n)
    await db
      .deleteFrom('erased_file_name')
      .where('workspace_id', '=', workspaceId)
      .where('import_id', '=', importId)
      .execute()
  return true
}
