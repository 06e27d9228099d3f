import { formatCsvRecord } from '../core/csv.ts'
import { notFound } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { findSpreadsheet, selectSpreadsheetRows } from './spreadsheet-store.ts'

const batchSize = 1_000

/**
 * A spreadsheet as CSV, the names of its columns first.
 *
 * @returns its name, and the text in parts, which are read from the database as they are taken
 * @throws {ApiError} not_found
 */
export async function exportSpreadsheet(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  id: string,
): Promise<{ name: string; parts: AsyncIterable<string> }> {
  const spreadsheet = await findSpreadsheet(db, workspaceId, id)
  if (spreadsheet === undefined) throw notFound('There is no such spreadsheet in this workspace.')
  return { name: spreadsheet.name, parts: readCsvParts(db, workspaceId, id, spreadsheet.columns) }
}

async function* readCsvParts(
  db: Db,
  workspaceId: number,
  id: string,
  columns: string[],
): AsyncGenerator<string> {
  yield formatCsvRecord(columns)
  let after = 0
  for (;;) {
    const rows = await selectSpreadsheetRows(db, workspaceId, id, { after, limit: batchSize })
    if (rows.length > 0) yield rows.map(({ cells }) => formatCsvRecord(cells)).join('')
    if (rows.length < batchSize) return
    after = rows.at(-1)?.id ?? after
  }
}
