import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { deleteGoogleAccount } from './spreadsheet-store.ts'

/**
 * Forgets the workspace's Google service account. Agents that write to Google's spreadsheets are told so.
 *
 * @throws {ApiError} not_found
 */
export const removeGoogleAccount =
  ({ db }: Pick<Deps, 'db'>) =>
  async (workspaceId: number): Promise<void> => {
    const isDeleted = await deleteGoogleAccount(db, workspaceId)
    if (!isDeleted) throw notFound('The workspace has no Google service account.')
  }
