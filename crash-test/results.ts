import { readFile, rename, writeFile } from 'node:fs/promises'
import type { RoundResult } from './round.ts'

/** Reads the results of all rounds so far, including those of earlier runs. */
export async function readResults(file: string): Promise<RoundResult[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RoundResult[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Adds a round to the results file. Replaces the file in one step, so that it's complete even if this process is killed. */
export async function appendResult(file: string, result: RoundResult): Promise<void> {
  const results = await readResults(file)
  await writeFile(`${file}.new`, JSON.stringify([...results, result], undefined, 1))
  await rename(`${file}.new`, file)
}

/** Formats the results of all rounds as one report. */
export function formatResults(results: readonly RoundResult[]): string {
  const violations = results.flatMap(({ seed, round, violations: found }) =>
    found.map((text) => `seed ${seed}, round ${round}: ${text}`),
  )
  return [
    `Rounds: ${results.length}. Violations: ${violations.length}.`,
    '',
    formatTable(['Disruption', 'Count'], toRows(results.map(({ disruptions }) => disruptions))),
    '',
    formatTable(['Checked', 'Count'], toRows(results.map(({ counts }) => counts))),
    '',
    formatTable(['Milliseconds', 'n', 'p50', 'p90', 'p99', 'max'], toDistributions(results)),
    ...(violations.length === 0 ? [] : ['', 'Violations:', ...violations]),
    '',
  ].join('\n')
}

function toRows(all: readonly Record<string, number>[]): string[][] {
  const sums = new Map<string, number>()
  for (const [name, count] of all.flatMap(Object.entries<number>))
    sums.set(name, (sums.get(name) ?? 0) + count)
  return [...sums]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, count]) => [name, format(count)])
}

function toDistributions(results: readonly RoundResult[]): string[][] {
  const names = [...new Set(results.flatMap(({ times }) => Object.keys(times)))]
  return names.map((name) => {
    const values = results.flatMap(({ times }) => times[name] ?? []).toSorted((one, other) => one - other)
    const at = (share: number) => values[Math.max(0, Math.ceil(values.length * share) - 1)] ?? NaN
    return [name, String(values.length), ...[at(0.5), at(0.9), at(0.99), at(1)].map(format)]
  })
}

const format = (value: number): string =>
  Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en-US')

function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const toLine = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  return [
    toLine(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(toLine),
  ].join('\n')
}
