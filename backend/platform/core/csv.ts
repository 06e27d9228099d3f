/** Text that spreadsheet programs treat as a formula. Some skip leading spaces, some accept full-width signs. */
const formulaStart = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** Characters that make quotes around a cell necessary. Programs in some locales split cells at semicolons or tabs. */
const separator = /[",;\t\r\n]/

/**
 * Formats a record as CSV (RFC 4180), with its line break. A cell that a spreadsheet program would run as a formula
 * gets a leading apostrophe, so that words from a call can't run code on the computer that opens the file.
 */
export function formatCsvRecord(cells: readonly string[]): string {
  // Without quotes, a record of one empty cell would be an empty line, which isn't a record.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(formatCsvCell).join(',')}\r\n`
}

function formatCsvCell(cell: string): string {
  const escaped = formulaStart.test(cell) ? `'${cell}` : cell
  return separator.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}

/** Trims a cell, and removes the apostrophe that `formatCsvRecord` puts before text that looks like a formula. */
export function cleanCell(cell: string): string {
  const text = cell.trimStart()
  return (text.startsWith("'") && formulaStart.test(text.slice(1)) ? text.slice(1) : text).trim()
}

/**
 * Formats a table as CSV. Yields the header, then one part per page. Fetches a page only when its part is read, so a long
 * table is never in memory as a whole.
 *
 * @param table.fetchPage returns at most `limit` rows after `last`, or the first rows if `last` is undefined. It returns fewer
 *   rows if they would be too large together, and none only at the end
 * @param table.toRecords returns the records of a row, each as a list of cells
 */
export async function* formatCsvPages<Row>(table: {
  header: readonly string[]
  fetchPage: (last: Row | undefined, limit: number) => Promise<readonly Row[]>
  toRecords: (row: Row) => readonly (readonly string[])[]
}): AsyncGenerator<string> {
  yield formatCsvRecord(table.header)
  let last: Row | undefined
  let limit = firstPageSize
  for (;;) {
    const rows = await table.fetchPage(last, limit)
    if (rows.length === 0) return
    yield rows.flatMap(table.toRecords).map(formatCsvRecord).join('')
    last = rows.at(-1)
    // If a page was short because its rows are large, the next query must not read many rows that it won't return.
    limit = Math.min(2 * rows.length, maxPageSize)
  }
}

const firstPageSize = 100
const maxPageSize = 1_000
