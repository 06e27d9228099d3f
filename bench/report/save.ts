import { readFile, writeFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'
import { fillPage } from '../../scripts/page-tables.ts'
import { drawResults } from './draw-results.ts'
import { formatLimit, formatMedian, formatPageTable } from './format-table.ts'
import { formatMachine, type Machine } from './machine.ts'
import { formatSizing, type SizingReport } from './sizing-tables.ts'
import type { Figures, SavedFigures } from './summarize.ts'

const docs = new URL('../../docs/', import.meta.url)
const reference = new URL('reference/', docs)
const page = new URL('performance.md', reference)
const picture = new URL('pictures/performance.svg', docs)
const scalingPage = new URL('guides/scale.md', docs)

interface Report {
  /** The machine of the last full run, with the commit. */
  machine: Machine
  /** The scale of the last full run: at 1, the large databases had a million calls. */
  scale: number
  figures: SavedFigures[]
}

interface Run {
  machine: Machine
  scale: number
  figures: Figures[]
  /** The names of all rows, in the order of the table. */
  rows: readonly string[]
  /** True if all rows were to be measured. */
  isFull: boolean
}

/**
 * Writes the results to docs/reference/performance.json, and the pages and the picture that show them. Rows that the run
 * didn't measure, or that failed, keep their earlier results.
 */
export async function saveRun({ machine, scale, figures, rows, isFull }: Run): Promise<void> {
  const before = await readReport<Report>('performance.json')
  const { date, commit } = machine
  const measured = figures.map((each): SavedFigures => ({ ...each, date, commit }))
  const isMeasured = (row: string) => measured.some((each) => each.row === row)
  await saveJson('performance.json', {
    machine: isFull ? machine : before.machine,
    scale: isFull ? scale : before.scale,
    figures: rows.flatMap((row) =>
      (isMeasured(row) ? measured : before.figures).filter((each) => each.row === row),
    ),
  })
  await writeResultPages()
}

/** Writes the costs of a call to docs/reference/sizing.json, and updates the tables in docs/guides/scale.md. */
export async function saveSizing(report: SizingReport): Promise<void> {
  await saveJson('sizing.json', report)
  await writeFile(scalingPage, await generateScalingPage())
}

/** Writes the pages and pictures with results again, from performance.json and sizing.json. Measures nothing. */
export async function writeResultPages(): Promise<void> {
  await writeFile(page, await generatePerformancePage())
  await writeFile(picture, await generatePicture())
  await writeFile(scalingPage, await generateScalingPage())
}

/** Returns docs/reference/performance.md with the results in docs/reference/performance.json. */
export async function generatePerformancePage(): Promise<string> {
  const report = await readReport<Report>('performance.json')
  return fillPage(page, { summary: formatSummary(report.figures), results: formatResults(report) })
}

/** Returns docs/pictures/performance.svg with the results in docs/reference/performance.json. */
export async function generatePicture(): Promise<string> {
  const { machine, figures } = await readReport<Report>('performance.json')
  return drawResults(figures, `Measured on ${machine.date}, commit ${machine.commit}`)
}

/** Returns docs/guides/scale.md with tables that are computed from docs/reference/sizing.json and docs/reference/performance.json. */
export async function generateScalingPage(): Promise<string> {
  const sizing = await readReport<SizingReport>('sizing.json')
  return fillPage(scalingPage, formatSizing(sizing, await readReport<Report>('performance.json')))
}

const readReport = async <Content>(name: string): Promise<Content> =>
  JSON.parse(await readFile(new URL(name, reference), 'utf8')) as Content

/** Formats how many limits are met, and lists those that aren't. */
export function formatSummary(figures: readonly Figures[]): string {
  const limited = figures.filter(({ isMet }) => isMet !== null)
  const missed = limited.filter(({ isMet }) => !isMet)
  if (missed.length === 0) return `Outdial meets all ${limited.length} limits.\n`
  const rows = missed.map(
    (each) => `- ${each.label} (\`${each.row}\`): ${formatMedian(each)}, limit ${formatLimit(each)}\n`,
  )
  return `Outdial meets ${limited.length - missed.length} of ${limited.length} limits. It misses these:\n\n${rows.join('')}`
}

function formatResults({ machine, scale, figures }: Report): string {
  const others = new Set(
    figures
      .filter(({ commit }) => commit !== machine.commit)
      .map(({ row, date, commit }) => `\`${row}\` on ${date}, commit ${commit}`),
  )
  const size = scale === 1 ? '' : ` This was a quick check with BENCH_SCALE=${scale}.`
  const notes = figures.flatMap(({ row, notes: text }) => (text === null ? [] : [formatNotes(row, text)]))
  return [
    `Measured on this machine: ${formatMachine(machine)}.${size}\n`,
    ...(others.size === 0 ? [] : [`Measured in another run: ${[...others].join('; ')}.\n`]),
    formatPageTable(figures),
    ...notes,
  ].join('\n')
}

/** Formats a row's notes as a collapsible list. The notes have the form "title: one; another". */
function formatNotes(row: string, notes: string): string {
  const [, title = 'notes', list = notes] = /^([^:]+): (.+)$/s.exec(notes) ?? []
  const items = list.split('; ').map((item) => `- ${item}\n`)
  return `<details>\n<summary>${row}: ${title}</summary>\n\n${items.join('')}\n</details>\n`
}

/** Saves an object as JSON, in the format of `npm run format`. */
async function saveJson(name: string, report: object): Promise<void> {
  const file = new URL(name, reference)
  await writeFile(
    file,
    await format(JSON.stringify(report), { ...(await resolveConfig(file)), parser: 'json' }),
  )
}
