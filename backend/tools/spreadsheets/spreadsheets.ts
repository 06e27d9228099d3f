import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { formatCsvPages } from '../../platform/core/csv.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { formatNames } from '../../platform/core/text.ts'
import { isStorableText, rule, ruleIssue, validateByRules } from '../../platform/core/validate-rules.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'
import {
  deleteSpreadsheetRow,
  findSpreadsheet,
  insertSpreadsheet,
  lockSpreadsheet,
  selectNewestRows,
  selectSpreadsheetRows,
  selectSpreadsheets,
  selectWritingAgents,
  type SpreadsheetRow,
  type SpreadsheetSummary,
} from './spreadsheet-store.ts'

export type { SpreadsheetSummary } from './spreadsheet-store.ts'

const maxNameLength = 200
export const maxColumns = 100

const isName = (name: string): boolean => name !== '' && name.length <= maxNameLength && isStorableText(name)

const nameRule = (subject: string) =>
  rule('invalid_name', `${subject} must be plain text. Enter 1 to ${maxNameLength} characters.`)

const Columns = z
  .array(z.string().trim().refine(isName, nameRule('Each column name')))
  .refine(
    ({ length }) => length >= 1 && length <= maxColumns,
    rule('wrong_count', `A spreadsheet must have 1 to ${maxColumns} columns. Add or remove columns.`),
  )
  .superRefine((columns, context) => {
    const duplicate = columns.find((column, index) => columns.indexOf(column) !== index)
    if (duplicate === undefined) return
    context.addIssue(
      ruleIssue('already_used', `There are two columns named ${duplicate}. Rename or remove one.`),
    )
  })

const NewSpreadsheet = z.object({
  name: z.string().trim().refine(isName, nameRule('The spreadsheet name')),
  columns: Columns,
})

/**
 * Creates an empty spreadsheet in the database.
 *
 * @returns its ID, which is the `spreadsheet_id` in the configuration of a tool
 * @throws {ApiError} validation_failed
 */
export async function createSpreadsheet(
  deps: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  input: { name: string; columns: string[] },
): Promise<{ id: string }> {
  const { name, columns } = validateByRules(NewSpreadsheet, input)
  const id = randomToken(16)
  await insertSpreadsheet(deps.db, workspaceId, { id, name, columns, createdAt: deps.clock.now() })
  return { id }
}

/** Lists the spreadsheets in the database, by name. */
export const listSpreadsheets = (
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<SpreadsheetSummary[]> => selectSpreadsheets(deps.db, workspaceId)

export interface SpreadsheetDetails {
  id: string
  name: string
  columns: string[]
  /** Names of the agents that add rows to it. */
  writers: string[]
  /** Newest first. */
  rows: Page<SpreadsheetRow>
}

/**
 * Returns a spreadsheet with a page of its rows: the newest ones, or those before the row with the ID `before`.
 *
 * @throws {ApiError} not_found
 */
export async function getSpreadsheet(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  id: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<SpreadsheetDetails> {
  const spreadsheet = await requireSpreadsheet(deps, workspaceId, id)
  const rows = await selectNewestRows(deps.db, workspaceId, id, { before, limit: limit + 1 })
  const writers = await selectWritingAgents(deps.db, workspaceId, id)
  return { id, ...spreadsheet, writers, rows: toPage(rows, limit) }
}

/**
 * Exports a spreadsheet as CSV, with its columns as the header.
 *
 * @returns its name, and the text in parts, which are read from the database on demand
 * @throws {ApiError} not_found
 */
export async function exportSpreadsheet(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  id: string,
): Promise<{ name: string; parts: AsyncIterable<string> }> {
  const { name, columns } = await requireSpreadsheet(deps, workspaceId, id)
  const parts = formatCsvPages({
    header: columns,
    fetchPage: (last: { id: number; cells: string[] } | undefined, limit) =>
      selectSpreadsheetRows(deps.db, workspaceId, id, { after: last?.id ?? 0, limit }),
    toRecords: ({ cells }) => [cells],
  })
  return { name, parts }
}

/**
 * Deletes a spreadsheet with all of its rows.
 *
 * @throws {ApiError} not_found; validation_failed while agents write to it, with their names
 */
export const deleteSpreadsheet = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  id: string,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const exists = await lockSpreadsheet(tx.db, workspaceId, id, 'update')
    if (!exists) throw spreadsheetNotFound()
    // This is a separate statement after the lock, so that it sees assignments that were committed before the lock.
    const writers = await selectWritingAgents(tx.db, workspaceId, id)
    if (writers.length > 0) throw new FormError('validation_failed', stillUsedMessage(writers))
    await deleteSpreadsheetRow(tx.db, workspaceId, id)
  })

async function requireSpreadsheet({ db }: Pick<Deps, 'db'>, workspaceId: number, id: string) {
  const spreadsheet = await findSpreadsheet(db, workspaceId, id)
  if (spreadsheet === undefined) throw spreadsheetNotFound()
  return spreadsheet
}

const spreadsheetNotFound = () =>
  new FormError(
    'not_found',
    'This workspace has no spreadsheet with this ID. To see its spreadsheets, open the Spreadsheets page or run list-spreadsheets.',
  )

const stillUsedMessage = (agents: readonly string[]): string =>
  `Agents write to this spreadsheet: ${formatNames(agents)}. Before you delete the spreadsheet, choose another one for these agents, or remove the tool from them.`
