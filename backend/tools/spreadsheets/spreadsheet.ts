import { type CatalogMessage, type ErrorValues, toErrorMessage, toolResultTexts } from '@outdial/contract'

/** Google Sheets stores numbers and booleans as such. The database stores everything as text. */
type CellValue = string | number | boolean

/** Values by column name. */
export type RowValues = Readonly<Record<string, CellValue>>

/** A table with a row of column names, in the database or in Google Sheets. */
export interface Spreadsheet {
  /** @throws {SpreadsheetError} */
  readColumns(signal: AbortSignal): Promise<string[]>
  /**
   * Adds a row below the others. Columns without a value stay empty.
   *
   * @throws {SpreadsheetError} if a column is unknown, or if the row couldn't be added
   */
  appendRow(values: RowValues, signal: AbortSignal): Promise<void>
}

type SpreadsheetIssue = keyof typeof toolResultTexts

/** An error whose text is for the agent and for people who read the call's log. */
export class SpreadsheetError extends Error {
  override name = 'SpreadsheetError'
  readonly text: CatalogMessage

  /** @param options.then what the issue means for the row, as a second sentence */
  constructor(
    issue: SpreadsheetIssue,
    values: ErrorValues = {},
    { then, cause }: { then?: SpreadsheetIssue; cause?: unknown } = {},
  ) {
    const issues = then === undefined ? [issue] : [issue, then]
    const text = issues.map((key) => toErrorMessage(toolResultTexts[key], values)).join(' ')
    super(text, { cause })
    this.text = text as CatalogMessage
  }
}

/**
 * Arranges values in the order of the columns.
 *
 * @throws {SpreadsheetError} with the unknown columns and the known ones
 */
export function toCells(columns: readonly string[], values: RowValues): CellValue[] {
  const valueByColumn = new Map(Object.entries(values))
  const known = columns.filter((column) => column !== '')
  const unknown = [...valueByColumn.keys()].filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new SpreadsheetError('unknown_column', {
      unknown: formatNames(unknown),
      columns: formatNames(known),
    })
  }
  // The first of several columns with the same name gets the value.
  return columns.map((column, index) =>
    columns.indexOf(column) === index ? (valueByColumn.get(column) ?? '') : '',
  )
}

const formatNames = (names: readonly string[]): string =>
  names
    .slice(0, 50)
    .map((name) => `"${name.slice(0, 100)}"`)
    .join(', ')
