import type { Deps } from '../deps.ts'
import { invalidField } from '../core/errors.ts'
import { randomToken } from '../secrets/secret-box.ts'
import { insertSpreadsheet } from './spreadsheet-store.ts'

const maxNameLength = 200
const maxColumns = 100

/**
 * Makes an empty spreadsheet that is kept here.
 *
 * @returns its id, which the assignment of a tool names as `spreadsheet_id`
 * @throws {ApiError} validation_failed
 */
export const createSpreadsheet =
  ({ db, clock }: Pick<Deps, 'db' | 'clock'>) =>
  async (workspaceId: number, input: { name: string; columns: string[] }): Promise<{ id: string }> => {
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
