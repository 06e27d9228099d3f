import type { Deps } from '../deps.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { formatNames } from '../name-some.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteSpreadsheetRow, lockSpreadsheetForUpdate, selectWritingAgents } from './spreadsheet-store.ts'

/**
 * Deletes a spreadsheet with all of its rows.
 *
 * @throws {ApiError} not_found; validation_failed while an agent writes to it, with the names of those that do
 */
export const deleteSpreadsheet =
  (deps: Deps) =>
  (workspaceId: number, id: string): Promise<void> =>
    inTransaction(deps, async ({ db }) => {
      const exists = await lockSpreadsheetForUpdate(db, workspaceId, id)
      if (!exists) throw notFound('There is no such spreadsheet in this workspace.')
      // In a statement of its own: an assignment that was under way is committed, or waits.
      const writers = await selectWritingAgents(db, workspaceId, id)
      if (writers.length > 0) throw new ApiError('validation_failed', stillUsedMessage(writers))
      await deleteSpreadsheetRow(db, workspaceId, id)
    })

const stillUsedMessage = (agents: readonly string[]): string =>
  `Agents write to this spreadsheet: ${formatNames(agents)}. Give them another one first, or take the tool away.`
