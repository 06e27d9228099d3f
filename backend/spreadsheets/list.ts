import type { Deps } from '../deps.ts'
import { type SpreadsheetSummary, selectSpreadsheets } from './spreadsheet-store.ts'

/** The spreadsheets of a workspace that are kept here, by name. */
export const listSpreadsheets =
  ({ db }: Pick<Deps, 'db'>) =>
  (workspaceId: number): Promise<SpreadsheetSummary[]> =>
    selectSpreadsheets(db, workspaceId)
