/** Starts of a formula for spreadsheet programs: some skip blanks, some accept full-width signs. */
const formulaStart = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** The standard separator is a comma; programs in other locales split at semicolons or tabs. */
const separator = /[",;\t\r\n]/

/**
 * Formats one record as CSV (RFC 4180), with its line end. A cell that a spreadsheet program would run as a
 * formula gets a leading apostrophe: what people say on the phone must not run on the computer that opens the
 * file.
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
 * Writes a table as CSV, page by page: the header, then a part per page. A page is fetched when its part is
 * taken, so that a long table never is in memory as a whole.
 *
 * @param table.fetchPage returns at most `limit` rows that follow `last`, or the first ones where there is
 *   none
 * @param table.toRecords returns the cells of each record that a row becomes
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

const pageSize = 1_000
