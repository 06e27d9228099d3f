import type { Deps } from '../deps.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { nameSome } from '../name-some.ts'
import { inTransaction } from '../db/transaction.ts'
import { eraseSpreadsheet, lockSpreadsheet, selectWriters } from './spreadsheet-store.ts'

/**
 * Deletes a spreadsheet with all of its rows.
 *
 * @throws {ApiError} not_found; validation_failed while an agent writes to it, with the names of those that do
 */
export const deleteSpreadsheet =
  (deps: Deps) =>
  (workspaceId: number, id: string): Promise<void> =>
    inTransaction(deps, async ({ db }) => {
      const isThere = await lockSpreadsheet(db, workspaceId, id)
      if (!isThere) throw notFound('There is no such spreadsheet in this workspace.')
      // In a statement of its own: an assignment that was under way is committed, or waits.
      const writers = await selectWriters(db, workspaceId, id)
      if (writers.length > 0) throw new ApiError('validation_failed', stillUsed(writers))
      await eraseSpreadsheet(db, workspaceId, id)
    })

const stillUsed = (agents: readonly string[]): string =>
  `Agents write to this spreadsheet: ${nameSome(agents)}. Give them another one first, or take the tool away.`
