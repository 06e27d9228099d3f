import { sql } from 'kysely'
import * as z from 'zod'
import type { Deps } from '../../../deps.ts'
import { decodeText, NotTextError } from '../../../platform/core/decode-text.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { mentionsPerson } from './find-person.ts'
import { type ImportJob, releaseImport, renewImportLease } from './import-store.ts'

type EraseDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

/** Identifies an erased contact in a file. It's stored until the file has been searched. */
const ErasedPerson = z.object({ phoneNumber: z.string(), digits: z.string(), email: z.string().nullable() })
export type ErasedPerson = z.infer<typeof ErasedPerson>

/** The maximum number of people that one search looks for. */
const maxPeople = 100

/** The maximum number of rows to search at a time. It's low, because each row can have many issues and cells. */
const batchSize = 100

/**
 * Removes erased contacts from an import: their rows, rejected rows that mention them, and the stored file if it mentions them.
 * Without its file, an import fails, unless its rows have been checked. In that case, the import continues, but its columns can
 * no longer be changed. If the process ends meanwhile, another one starts the search over.
 *
 * @param everything true to remove everything that could mention someone, because the search failed again and again
 */
export async function eraseFromImport(
  deps: EraseDeps,
  job: ImportJob,
  signal: AbortSignal,
  { everything }: { everything: boolean },
): Promise<void> {
  const { db } = deps
  const people = (await findErasures(db, job)).slice(0, maxPeople)
  const isMentioned = async (text: string) => everything || (await mentionsPerson(text, people))
  /** Makes a change. Returns false without making it if another process has leased the job, or if the import was deleted. */
  const write = (change: (tx: EraseDeps) => Promise<void>): Promise<boolean> =>
    inTransaction(deps, async (tx) => {
      if (!(await renewImportLease(tx.db, job))) return false
      await change(tx)
      return true
    })

  const { mentionsInFile, mentionsInColumns } = await searchFile(db, job, isMentioned)
  const isFileErased = await write(async (tx) => {
    if (mentionsInFile) await deleteFile(tx.db, job, tx.clock.now())
    if (mentionsInColumns) await deleteColumns(tx.db, job)
  })
  if (!isFileErased) return

  let after = 0
  for (;;) {
    if (signal.aborted) return releaseImport(db, job)
    const rows = await findRowsWithIssues(db, job, after)
    const last = rows.at(-1)
    if (last === undefined) break
    const positions: number[] = []
    for (const { position, issues, cells } of rows)
      if ((await isMentioned(issues)) || (await isMentioned(cells))) positions.push(position)
    if (!(await write((tx) => deleteRows(tx.db, job, positions)))) return
    after = last.position
  }
  await write(async (tx) => {
    await deleteOwnRows(tx.db, job, people)
    await finishErasures(tx.db, job, people.length)
  })
}

async function findErasures(db: Db, job: ImportJob): Promise<ErasedPerson[]> {
  const found = await db
    .selectFrom('contact_import')
    .select('erasures')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .executeTakeFirst()
  return z.array(ErasedPerson).parse(found?.erasures ?? [])
}

async function searchFile(
  db: Db,
  job: ImportJob,
  isMentioned: (text: string) => Promise<boolean>,
): Promise<{ mentionsInFile: boolean; mentionsInColumns: boolean }> {
  const found = await db
    .selectFrom('contact_import')
    .select(['bytes', 'columns', 'consent'])
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .executeTakeFirst()
  if (found === undefined) return { mentionsInFile: false, mentionsInColumns: false }
  const text = found.bytes === null ? null : decode(found.bytes)
  return {
    mentionsInFile: text !== null && (await isMentioned(text)),
    mentionsInColumns:
      (await isMentioned(JSON.stringify(found.columns))) ||
      (await isMentioned(JSON.stringify(found.consent))),
  }
}

/** Returns null if the file isn't text. The import of such a file fails anyway. */
function decode(bytes: Buffer): string | null {
  try {
    return decodeText(bytes)
  } catch (error) {
    if (error instanceof NotTextError) return null
    throw error
  }
}

const erasedFileError =
  'A contact was erased before this file was imported, and the file contains that person. Remove them from the file, then upload it again.'

const deleteFile = async (db: Db, job: ImportJob, at: Date): Promise<void> => {
  await sql`
    update contact_import set bytes = null, samples = '[]',
      status = case when status = 'checked' then status else 'failed' end,
      error = case when status = 'checked' then error else ${erasedFileError} end,
      finished_at = case when status = 'checked' then finished_at else ${at}::timestamptz end
    where workspace_id = ${job.workspaceId} and id = ${job.id} and bytes is not null`.execute(db)
}

const deleteColumns = async (db: Db, job: ImportJob): Promise<void> => {
  await db
    .updateTable('contact_import')
    .set({ columns: '[]', consent: '{}' })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .execute()
}

const findRowsWithIssues = (db: Db, job: ImportJob, after: number) =>
  db
    .selectFrom('contact_import_row')
    .select([
      'position',
      sql<string>`issues::text`.as('issues'),
      sql<string>`coalesce(cells::text, '')`.as('cells'),
    ])
    .where('import_id', '=', job.id)
    .where('position', '>', after)
    .where('issues', '<>', sql<string>`'[]'::jsonb`)
    .orderBy('position')
    .limit(batchSize)
    .execute()

const deleteRows = async (db: Db, job: ImportJob, positions: readonly number[]): Promise<void> => {
  if (positions.length === 0) return
  await db
    .deleteFrom('contact_import_row')
    .where('import_id', '=', job.id)
    .where('position', 'in', positions)
    .execute()
}

/** Deletes the people's rows that a check has added since the erasure, and removes the people's numbers from other rows. */
async function deleteOwnRows(db: Db, job: ImportJob, people: readonly ErasedPerson[]): Promise<void> {
  const numbers = people.map(({ phoneNumber }) => phoneNumber)
  await db
    .deleteFrom('contact_import_row')
    .where('import_id', '=', job.id)
    .where('phone_number', '=', sql<string>`any(${numbers}::text[])`)
    .execute()
  await sql`
    update contact_import_row
    set fields = jsonb_set(fields, '{other_numbers}', (fields -> 'other_numbers') - ${numbers}::text[])
    where import_id = ${job.id} and fields -> 'other_numbers' ?| ${numbers}::text[]`.execute(db)
}

/** Removes the people that were searched for from `erasures`. People that were added meanwhile stay. */
const finishErasures = async (db: Db, job: ImportJob, count: number): Promise<void> => {
  const remaining = (await findErasures(db, job)).slice(count)
  await db
    .updateTable('contact_import')
    .set({ erasures: JSON.stringify(remaining), lease_until: null, attempts: 0 })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .execute()
}
