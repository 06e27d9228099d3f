import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { csvRecord } from '../core/csv.ts'
import { selectRows, selectSpreadsheet } from './spreadsheet-store.ts'

const pageSize = 1_000

/**
 * A spreadsheet as CSV, the names of its columns first.
 *
 * @returns its name, and the text in parts, which are read from the database as they are taken
 * @throws {ApiError} not_found
 */
export const exportCsv =
  ({ db }: Pick<Deps, 'db'>) =>
  async (workspaceId: number, id: string): Promise<{ name: string; parts: AsyncIterable<string> }> => {
    const spreadsheet = await selectSpreadsheet(db, workspaceId, id)
    if (spreadsheet === undefined) throw notFound('There is no such spreadsheet in this workspace.')
    return { name: spreadsheet.name, parts: partsOf(db, workspaceId, id, spreadsheet.columns) }
  }

async function* partsOf(db: Db, workspaceId: number, id: string, columns: string[]): AsyncGenerator<string> {
  yield csvRecord(columns)
  let after = 0
  for (;;) {
    const rows = await selectRows(db, workspaceId, id, { after, limit: pageSize })
    if (rows.length > 0) yield rows.map(({ cells }) => csvRecord(cells)).join('')
    if (rows.length < pageSize) return
    after = rows.at(-1)?.id ?? after
  }
}
