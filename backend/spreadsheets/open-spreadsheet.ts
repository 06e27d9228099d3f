import type { Deps } from '../deps.ts'
import { databaseSpreadsheet } from './database-spreadsheet.ts'
import { googleSpreadsheet } from './google-spreadsheet.ts'
import { type Spreadsheet, SpreadsheetError } from './spreadsheet.ts'
import { findGoogleAccount, lockSpreadsheet } from './spreadsheet-store.ts'

export type SpreadsheetProvider = 'database' | 'google'

/**
 * The spreadsheet with this id, wherever it is kept.
 *
 * @throws {SpreadsheetError} where it is Google's, and the workspace has no service account
 */
export async function openSpreadsheet(
  deps: Deps,
  workspaceId: number,
  provider: SpreadsheetProvider,
  id: string,
): Promise<Spreadsheet> {
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

/**
 * Why an agent could not write to this spreadsheet; undefined where nothing is known that speaks against it. One that is
 * kept here stays while the transaction lasts; whether Google has one is known only when it is written to.
 */
export async function findSpreadsheetIssue(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  provider: SpreadsheetProvider,
  id: string,
): Promise<string | undefined> {
  if (provider === 'google') {
    const account = await findGoogleAccount(db, workspaceId)
    return account === undefined
      ? 'The workspace has no Google service account yet: save its key first, then name the spreadsheet.'
      : undefined
  }
  const exists = await lockSpreadsheet(db, workspaceId, id, 'share')
  return exists ? undefined : 'The workspace has no spreadsheet with this id: make one, or choose another.'
}
