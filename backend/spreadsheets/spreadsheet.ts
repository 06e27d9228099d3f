/** What a cell is given: Google keeps numbers and yes/no as such, the database keeps text. */
export type CellValue = string | number | boolean

/** Values by the name of their column. */
export type RowValues = Readonly<Record<string, CellValue>>

/** A table with a row of column names, wherever it is kept. */
export interface Spreadsheet {
  /** @throws {SpreadsheetError} */
  readColumns(signal: AbortSignal): Promise<string[]>
  /**
   * Adds a row below the others; columns without a value stay empty.
   *
   * @throws {SpreadsheetError} where a column is unknown, or the row could not be added
   */
  appendRow(values: RowValues, signal: AbortSignal): Promise<void>
}

/** Why it was not done, in words for the agent and for who reads its calls. */
export class SpreadsheetError extends Error {
  override name = 'SpreadsheetError'
}

/**
 * The cells of a row, in the order of the columns.
 *
 * @throws {SpreadsheetError} naming the columns that there are not, and those that there are
 */
export function toCells(columns: readonly string[], values: RowValues): CellValue[] {
  const valueByColumn = new Map(Object.entries(values))
  const known = columns.filter((column) => column !== '')
  const unknown = [...valueByColumn.keys()].filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new SpreadsheetError(
      `The spreadsheet has no column ${formatNames(unknown)}. Its columns are ${formatNames(known)}: use these names.`,
    )
  }
  // Of columns with one name, the first is meant.
  return columns.map((column, index) =>
    columns.indexOf(column) === index ? (valueByColumn.get(column) ?? '') : '',
  )
}

const formatNames = (names: readonly string[]): string =>
  names
    .slice(0, 50)
    .map((name) => `"${name.slice(0, 100)}"`)
    .join(', ')
