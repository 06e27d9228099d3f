import type { CommandResult } from './command.ts'

type Cell = Required<CommandResult>['rows'][number][string]

/** A result as text for people: a table, a few lines with labels, or nothing where only the note says something. */
export function formatResult({ rows, record }: CommandResult): string {
  if (record !== undefined) return formatRecord(record)
  if (rows === undefined) return ''
  const [first] = rows
  return first === undefined ? 'None.' : formatTable(Object.keys(first), rows)
}

function formatRecord(record: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(record).map((key) => key.length))
  return Object.entries(record)
    .map(([key, value]) => `${key.padEnd(width)}  ${formatCell(value)}`)
    .join('\n')
}

function formatTable(columns: string[], rows: Record<string, Cell>[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => formatCell(row[column] ?? null)))]
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatCell(value: Cell): string {
  if (value === null) return '-'
  if (Array.isArray(value)) return value.join(', ')
  return value instanceof Date ? value.toISOString() : String(value)
}
