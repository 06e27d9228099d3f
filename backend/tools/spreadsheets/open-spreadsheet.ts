import type { Deps } from '../../deps.ts'
import { googleSpreadsheet } from './google-spreadsheet.ts'
import { type Spreadsheet, SpreadsheetError, toCells } from './spreadsheet.ts'
import {
  findGoogleAccount,
  findSpreadsheet,
  insertSpreadsheetRow,
  lockSpreadsheet,
} from './spreadsheet-store.ts'

type SpreadsheetProvider = 'database' | 'google'

/**
 * Opens a spreadsheet in the database or in Google Sheets, to write to it.
 *
 * @throws {SpreadsheetError} if it's in Google Sheets and the workspace has no service account
 */
export async function openSpreadsheet(
  deps: Pick<Deps, 'db' | 'clock' | 'secretBox'>,
  workspaceId: number,
  provider: SpreadsheetProvider,
  id: string,
): Promise<Spreadsheet> {
  if (provider === 'database') return databaseSpreadsheet(deps, workspaceId, id)
  const account = await findGoogleAccount(deps.db, workspaceId)
  if (account === undefined) {
    throw new SpreadsheetError('no_google_account')
  }
  const { clientEmail, privateKey: sealed } = account
  const privateKey = deps.secretBox.open(sealed, ['google_account.private_key', workspaceId])
  return googleSpreadsheet({ clientEmail, privateKey }, id)
}

function databaseSpreadsheet(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  id: string,
): Spreadsheet {
  const readColumns = async () => {
    const spreadsheet = await findSpreadsheet(db, workspaceId, id)
    if (spreadsheet === undefined) {
      throw new SpreadsheetError('no_spreadsheet')
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

/**
 * Returns why an agent couldn't write to this spreadsheet, or undefined if it could. Locks a spreadsheet in the database, so
 * that it isn't deleted before the transaction ends. A spreadsheet in Google Sheets is only checked when a row is sent.
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
      ? 'This workspace has no Google service account yet. Add one under Spreadsheets, then choose the spreadsheet.'
      : undefined
  }
  const exists = await lockSpreadsheet(db, workspaceId, id, 'share')
  return exists
    ? undefined
    : 'This workspace has no spreadsheet with this ID. Choose another one, or create one.'
}
