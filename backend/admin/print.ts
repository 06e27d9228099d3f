import type { Result } from './command.ts'

type Cell = Required<Result>['rows'][number][string]

/** A result as text for people: a table, a few lines with labels, or nothing where only the note says something. */
export function printResult({ rows, record }: Result): string {
  if (record !== undefined) return printRecord(record)
  if (rows === undefined) return ''
  const [first] = rows
  return first === undefined ? 'None.' : printTable(Object.keys(first), rows)
}

function printRecord(record: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(record).map((key) => key.length))
  return Object.entries(record)
    .map(([key, value]) => `${key.padEnd(width)}  ${print(value)}`)
    .join('\n')
}

function printTable(columns: string[], rows: Record<string, Cell>[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => print(row[column] ?? null)))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function print(value: Cell): string {
  if (value === null) return '-'
  if (Array.isArray(value)) return value.join(', ')
  return value instanceof Date ? value.toISOString() : String(value)
}
