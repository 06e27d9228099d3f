import type { Deps } from '../deps.ts'
import type { SpreadsheetProvider } from './open-spreadsheet.ts'
import { lockSpreadsheetForShare, findGoogleAccount } from './spreadsheet-store.ts'

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
  const exists = await lockSpreadsheetForShare(db, workspaceId, id)
  return exists ? undefined : 'The workspace has no spreadsheet with this id: make one, or choose another.'
}
