import { ApiError, invalidField, notFound } from '../core/errors.ts'
import { formatNames } from '../core/text.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/tokens.ts'
import {
  deleteSpreadsheetRow,
  insertSpreadsheet,
  lockSpreadsheet,
  selectSpreadsheets,
  selectWritingAgents,
  type SpreadsheetSummary,
} from './spreadsheet-store.ts'

const maxNameLength = 200
const maxColumns = 100

/**
 * Makes an empty spreadsheet that is kept here.
 *
 * @returns its id, which the assignment of a tool names as `spreadsheet_id`
 * @throws {ApiError} validation_failed
 */
export async function createSpreadsheet(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  input: { name: string; columns: string[] },
): Promise<{ id: string }> {
  const name = validateName('name', input.name)
  const columns = input.columns.map((column) => validateName('columns', column))
  if (columns.length === 0 || columns.length > maxColumns) {
    throw invalidField('columns', 'wrong_count', `A spreadsheet has 1 to ${maxColumns} columns.`)
  }
  const duplicate = columns.find((column, index) => columns.indexOf(column) !== index)
  if (duplicate !== undefined) {
    throw invalidField('columns', 'already_used', `There are two columns named ${duplicate}.`)
  }
  const id = randomToken(16)
  await insertSpreadsheet(db, workspaceId, { id, name, columns, createdAt: clock.now() })
  return { id }
}

function validateName(field: 'name' | 'columns', input: string): string {
  const name = input.trim()
  if (name !== '' && name.length <= maxNameLength && !name.includes('\u0000') && name.isWellFormed()) {
    return name
  }
  const subject = field === 'name' ? 'The name of a spreadsheet' : 'The name of a column'
  throw invalidField(field, 'invalid_name', `${subject} has 1 to ${maxNameLength} characters of plain text.`)
}

/** The spreadsheets of a workspace that are kept here, by name. */
export const listSpreadsheets = (
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<SpreadsheetSummary[]> => selectSpreadsheets(db, workspaceId)

/**
 * Deletes a spreadsheet with all of its rows.
 *
 * @throws {ApiError} not_found; validation_failed while an agent writes to it, with the names of those that do
 */
export const deleteSpreadsheet = (deps: Deps, workspaceId: number, id: string): Promise<void> =>
  inTransaction(deps, async ({ db }) => {
    const exists = await lockSpreadsheet(db, workspaceId, id, 'update')
    if (!exists) throw notFound('There is no such spreadsheet in this workspace.')
    // In a statement of its own: an assignment that was under way is committed, or waits.
    const writers = await selectWritingAgents(db, workspaceId, id)
    if (writers.length > 0) throw new ApiError('validation_failed', stillUsedMessage(writers))
    await deleteSpreadsheetRow(db, workspaceId, id)
  })

const stillUsedMessage = (agents: readonly string[]): string =>
  `Agents write to this spreadsheet: ${formatNames(agents)}. Give them another one first, or take the tool away.`
