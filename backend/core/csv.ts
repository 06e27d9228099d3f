/** What spreadsheet programs would take for a formula, some after blanks, some in full width. */
const formulaStart = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** What ends a cell: a comma by the standard, a semicolon or a tab where a program of another country opens the file. */
const separator = /[",;\t\r\n]/

/**
 * One record as CSV (RFC 4180), with its line's end. A cell that a spreadsheet program would run as a formula gets a
 * leading apostrophe: what people say on the phone must do nothing on the computer that opens the file.
 */
export function formatCsvRecord(cells: readonly string[]): string {
  // A line with nothing in it would be no record.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(formatCsvCell).join(',')}\r\n`
}

function formatCsvCell(cell: string): string {
  const escaped = formulaStart.test(cell) ? `'${cell}` : cell
  return separator.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}
