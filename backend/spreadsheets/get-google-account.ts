import type { Deps } from '../deps.ts'
import { findGoogleAccount } from './spreadsheet-store.ts'

/** The address that Google's spreadsheets are to be shared with; undefined where the workspace has no account. */
export const getGoogleAccount =
  ({ db }: Pick<Deps, 'db'>) =>
  async (workspaceId: number): Promise<{ clientEmail: string } | undefined> => {
    const account = await findGoogleAccount(db, workspaceId)
    return account && { clientEmail: account.client_email }
  }
