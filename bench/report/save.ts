import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { format, resolveConfig } from 'prettier'
import { drawResults } from './draw-results.ts'
import { formatLimit, formatMedian, formatPageTable } from './format-table.ts'
import { formatMachine, type Machine } from './machine.ts'
import { formatSizing, type SizingReport } from './sizing-tables.ts'
import type { Figures } from './summarize.ts'

const docs = path.join(import.meta.dirname, '../../docs')
const reference = path.join(docs, 'reference')
const page = path.join(reference, 'performance.md')
const picture = path.join(docs, 'pictures/performance.svg')
const scalingPage = path.join(docs, 'guides/scale.md')

interface Report {
  machine: Machine
  /** 1 if the large databases had a million calls. */
  scale: number
  figures: Figures[]
}

/** Writes the results to docs/reference/performance.json, and the pages and the picture that show them. */
export async function saveReport(report: Report): Promise<void> {
  await write(path.join(reference, 'performance.json'), JSON.stringify(report))
  await writeResultPages()
}

/** Writes the costs of a call to docs/reference/sizing.json, and the tables of docs/guides/scale.md. */
export async function saveSizing(report: SizingReport): Promise<void> {
  await write(path.join(reference, 'sizing.json'), JSON.stringify(report))
  await writeFile(scalingPage, await generateScalingPage())
}

/** Writes all that shows results again, without measuring: from docs/reference/performance.json and docs/reference/sizing.json. */
export async function writeResultPages(): Promise<void> {
  await writeFile(page, await generatePerformancePage())
  await writeFile(picture, await generatePicture())
  await writeFile(scalingPage, await generateScalingPage())
}

/** Returns docs/reference/performance.md with the results of docs/reference/performance.json. */
export async function generatePerformancePage(): Promise<string> {
  const report = await readReport<Report>('performance.json')
  const text = replaceResults(await readFile(page, 'utf8'), formatSummary(report.figures), 'summary')
  return formatFile(page, replaceResults(text, formatResults(report)))
}

/** Returns docs/pictures/performance.svg with the results of docs/reference/performance.json. */
export async function generatePicture(): Promise<string> {
  const { machine, figures } = await readReport<Report>('performance.json')
  return drawResults(figures, `Measured on ${machine.date}, commit ${machine.commit}`)
}

/** Returns docs/guides/scale.md with tables that are computed from docs/reference/sizing.json and docs/reference/performance.json. */
export async function generateScalingPage(): Promise<string> {
  const sizing = await readReport<SizingReport>('sizing.json')
  const tables = Object.entries(formatSizing(sizing, await readReport<Report>('performance.json')))
  const text = tables.reduce(
    (replaced, [name, content]) => replaceResults(replaced, content, name),
    await readFile(scalingPage, 'utf8'),
  )
  return formatFile(scalingPage, text)
}

const readReport = async <Content>(name: string): Promise<Content> =>
  JSON.parse(await readFile(path.join(reference, name), 'utf8')) as Content

/** Says how many limits are met, and lists those that aren't. */
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
  const size = scale === 1 ? '' : ` This was a quick check with BENCH_SCALE=${scale}.`
  const notes = figures.flatMap(({ row, notes: text }) => (text === null ? [] : [formatNotes(row, text)]))
  return [
    `Measured on this machine: ${formatMachine(machine)}.${size}\n`,
    formatPageTable(figures),
    ...notes,
  ].join('\n')
}

/** Formats a row's notes, "what they are: one; another", as a list that opens. */
function formatNotes(row: string, notes: string): string {
  const [, title = 'notes', list = notes] = /^([^:]+): (.+)$/s.exec(notes) ?? []
  const items = list.split('; ').map((item) => `- ${item}\n`)
  return `<details>\n<summary>${row}: ${title}</summary>\n\n${items.join('')}\n</details>\n`
}

/** Replaces what's between two markers of a page. */
export function replaceResults(text: string, results: string, name = 'results'): string {
  const markers = [`<!-- ${name} -->`, `<!-- /${name} -->`] as const
  const [start, end] = markers.map((marker) => text.indexOf(marker)) as [number, number]
  if (start === -1 || end < start) throw new Error(`The page lacks the markers ${markers.join(' and ')}.`)
  return `${text.slice(0, start)}${markers[0]}\n\n${results}\n${text.slice(end)}`
}

const write = async (file: string, text: string): Promise<void> =>
  writeFile(file, await formatFile(file, text))

/** Formats a file as `npm run format` would. */
const formatFile = async (file: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(file)), filepath: file })
