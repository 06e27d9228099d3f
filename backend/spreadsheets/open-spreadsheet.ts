import type { Deps } from '../deps.ts'
import { databaseSpreadsheet } from './database-spreadsheet.ts'
import { googleSpreadsheet } from './google-spreadsheet.ts'
import { type Spreadsheet, SpreadsheetError } from './spreadsheet.ts'
import { findGoogleAccount } from './spreadsheet-store.ts'

export type SpreadsheetProvider = 'database' | 'google'

/**
 * The spreadsheet with this id, wherever it is kept.
 *
 * @throws {SpreadsheetError} where it is Google's, and the workspace has no service account
 */
export const openSpreadsheet =
  (deps: Deps) =>
  async (workspaceId: number, provider: SpreadsheetProvider, id: string): Promise<Spreadsheet> => {
    if (provider === 'database') return databaseSpreadsheet(deps, workspaceId, id)
    const account = await findGoogleAccount(deps.db, workspaceId)
    if (account === undefined) {
      throw new SpreadsheetError(
        'The workspace has no Google service account yet: its key is to be pasted in the settings.',
      )
    }
    const { client_email: clientEmail, private_key: sealed } = account
    return googleSpreadsheet({ clientEmail, privateKey: deps.secretBox.open(sealed) }, id)
  }
