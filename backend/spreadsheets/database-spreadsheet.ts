import type { Deps } from '../deps.ts'
import { type Spreadsheet, SpreadsheetError,toCells } from './spreadsheet.ts'
import { findSpreadsheet,insertSpreadsheetRow } from './spreadsheet-store.ts'

/** A spreadsheet that is kept here. */
export function databaseSpreadsheet(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  id: string,
): Spreadsheet {
  const readColumns = async () => {
    const spreadsheet = await findSpreadsheet(db, workspaceId, id)
    if (spreadsheet === undefined) {
      throw new SpreadsheetError(
        'The workspace has no spreadsheet with this id: its spreadsheet_id is to be corrected where the tool is assigned to the agent.',
      )
    }
    return spreadsheet.columns
  }
  return {
    readColumns,
    appendRow: async (values, signal) => {
      const cells = toCells(await readColumns(), values).map(String)
      signal.throwIfAborted()
      await insertSpreadsheetRow(db, workspaceId, id, { cells, createdAt: clock.now() })
    },
  }
}
