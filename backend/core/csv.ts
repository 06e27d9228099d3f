/** Text that spreadsheet programs treat as a formula. Some skip leading spaces, some accept full-width signs. */
const formulaStart = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** Returns a cell without spaces around it and without the apostrophe that `formatCsvRecord` puts before a formula. */
export const cleanCell = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@＝＋－＠])/, '')

/** Characters that need quotes. Programs in some locales split cells at semicolons or tabs. */
const separator = /[",;\t\r\n]/

/**
 * Formats a record as CSV (RFC 4180), with its line break. A cell that a spreadsheet program would run as a formula
 * gets a leading apostrophe, so that words from a call can't run code on the computer that opens the file.
 */
export function formatCsvRecord(cells: readonly string[]): string {
  // An empty line wouldn't be a record.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(formatCsvCell).join(',')}\r\n`
}

function formatCsvCell(cell: string): string {
  const escaped = formulaStart.test(cell) ? `'${cell}` : cell
  return separator.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}

/**
 * Formats a table as CSV: the header, then a part per page. A page is fetched when its part is read, so that a long
 * table is never in memory as a whole.
 *
 * @param table.fetchPage returns at most `limit` rows after `last`, or the first rows if it's undefined
 * @param table.toRecords returns the records of a row, each as a list of cells
 */
export async function* formatCsvPages<Row>(table: {
  header: readonly string[]
  fetchPage: (last: Row | undefined, limit: number) => Promise<readonly Row[]>
  toRecords: (row: Row) => readonly (readonly string[])[]
}): AsyncGenerator<string> {
  yield formatCsvRecord(table.header)
  let last: Row | undefined
  for (;;) {
    const rows = await table.fetchPage(last, pageSize)
    if (rows.length > 0) yield rows.flatMap(table.toRecords).map(formatCsvRecord).join('')
    if (rows.length < pageSize) return
    last = rows.at(-1)
  }
}

/** So few that the largest rows fit into memory, for several exports at a time. */
const pageSize = 200
