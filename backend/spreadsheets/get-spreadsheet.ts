import { notFound } from '../core/errors.ts'
import { type Page, toPage } from '../core/pagination.ts'
import type { Deps } from '../deps.ts'
import { selectNewestRows, type SpreadsheetRow } from './read-store.ts'
import { findSpreadsheet, selectWritingAgents } from './spreadsheet-store.ts'

export interface SpreadsheetDetails {
  id: string
  name: string
  columns: string[]
  /** Names of the agents that add rows to it. */
  writers: string[]
  /** The newest first. */
  rows: Page<SpreadsheetRow>
}

/**
 * A spreadsheet that is kept here, with some of its rows: those before the one with the id `before`.
 *
 * @throws {ApiError} not_found
 */
export async function getSpreadsheet(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  id: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<SpreadsheetDetails> {
  const spreadsheet = await findSpreadsheet(db, workspaceId, id)
  if (spreadsheet === undefined) throw notFound('There is no such spreadsheet in this workspace.')
  const rows = await selectNewestRows(db, workspaceId, id, { before, limit: limit + 1 })
  const writers = await selectWritingAgents(db, workspaceId, id)
  return { id, ...spreadsheet, writers, rows: toPage(rows, limit) }
}
