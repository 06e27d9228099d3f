import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod'
import { cleanCell } from '../../../platform/core/csv.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { rankPhones } from './guess-columns.ts'
import { ColumnChoice, type ImportColumn, ImportColumns, useColumn, withoutReason } from './import-columns.ts'
import { type ImportJob, nothingToErase } from './import-store.ts'
import { FileConsent } from './parse-consent.ts'

/** The maximum number of remembered mappings per workspace. The least recently used ones are deleted. */
const maxMappings = 100

/**
 * Hashes a header row. Leaves out the reason column, so that a file of rejected rows has the same hash as its original. Only
 * the hash is stored, because a first row that was taken for a header can be a person's data.
 */
const hashHeaders = (columns: readonly ImportColumn[]): Buffer => {
  const headers = withoutReason(columns).map(({ header }) =>
    cleanCell(header).toLowerCase().replace(/\s+/g, ' '),
  )
  return createHash('sha256').update(JSON.stringify(headers)).digest()
}

/** Remembers what the columns of a file contain, for the next file with the same headers. */
export async function rememberMapping(
  db: Db,
  workspaceId: number,
  columns: readonly ImportColumn[],
  choices: readonly ColumnChoice[],
  at: Date,
): Promise<void> {
  await db
    .insertInto('contact_import_mapping')
    .values({
      workspace_id: workspaceId,
      headers_hash: hashHeaders(columns),
      columns: JSON.stringify(choices.slice(0, withoutReason(columns).length)),
      used_at: at,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'headers_hash']).doUpdateSet((eb) => ({
        columns: eb.ref('excluded.columns'),
        used_at: eb.ref('excluded.used_at'),
      })),
    )
    .execute()
  await sql`
    delete from contact_import_mapping where workspace_id = ${workspaceId} and headers_hash in (
      select headers_hash from contact_import_mapping where workspace_id = ${workspaceId}
      order by used_at desc, headers_hash offset ${maxMappings}
    )`.execute(db)
}

/** Returns the columns as they were mapped in an earlier file with these headers. Undefined if there's no such file. */
export async function recallMapping(
  db: Db,
  workspaceId: number,
  columns: readonly ImportColumn[],
): Promise<ImportColumn[] | undefined> {
  const found = await db
    .selectFrom('contact_import_mapping')
    .select('columns')
    .where('workspace_id', '=', workspaceId)
    .where('headers_hash', '=', hashHeaders(columns))
    .executeTakeFirst()
  const choices = z.array(ColumnChoice).safeParse(found?.columns).data
  if (choices?.length !== withoutReason(columns).length) return undefined
  return rankPhones(
    columns.map((column, index) => useColumn(column, choices[index] ?? { use: 'ignore', rank: 0 })),
  )
}

/** The maximum number of imports to search for the consent of rejected rows. */
const maxImports = 20

/**
 * Returns the consent that was entered for the original file of rejected rows. Undefined if the file doesn't have the reason
 * column, or if the original isn't found.
 */
export async function recallConsent(
  db: Db,
  job: ImportJob,
  columns: readonly ImportColumn[],
): Promise<FileConsent | undefined> {
  if (withoutReason(columns).length === columns.length) return undefined
  const imports = await db
    .selectFrom('contact_import')
    .select(['columns', 'consent'])
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '<', job.id)
    .where('erasures', '=', nothingToErase)
    .orderBy('id', 'desc')
    .limit(maxImports)
    .execute()
  const hash = hashHeaders(columns)
  const origin = imports.find((found) => hashHeaders(ImportColumns.parse(found.columns)).equals(hash))
  return FileConsent.safeParse(origin?.consent).data
}
