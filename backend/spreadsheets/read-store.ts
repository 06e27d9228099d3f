import type { Db } from '../db/schema.ts'

export interface SpreadsheetRow {
  id: number
  cells: string[]
  createdAt: Date
}

/** Rows of a spreadsheet, the newest first, from the one before the id `before` on. */
export const selectNewestRows = (
  db: Db,
  workspaceId: number,
  spreadsheetId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<SpreadsheetRow[]> =>
  db
    .selectFrom('spreadsheet_row')
    .select(['id', 'cells', 'created_at as createdAt'])
    .where('workspace_id', '=', workspaceId)
    .where('spreadsheet_id', '=', spreadsheetId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
