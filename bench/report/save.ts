import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { format, resolveConfig } from 'prettier'
import { drawResults } from './draw-results.ts'
import { formatTable } from './format-table.ts'
import { formatMachine, type Machine } from './machine.ts'
import { formatSizing, type SizingReport } from './sizing-tables.ts'
import type { Figures } from './summarize.ts'

const docs = path.join(import.meta.dirname, '../../docs')
const reference = path.join(docs, 'reference')
const page = path.join(reference, 'performance.md')
const scalingPage = path.join(docs, 'guides/scale.md')

interface Report {
  machine: Machine
  /** 1 if the large databases had a million calls. */
  scale: number
  figures: Figures[]
}

/** Writes the results to docs/reference/performance.json, the picture, and the table of docs/reference/performance.md. */
export async function saveReport(report: Report): Promise<void> {
  const { machine, figures } = report
  await write(path.join(reference, 'performance.json'), JSON.stringify(report))
  await writeFile(
    path.join(docs, 'pictures/performance.svg'),
    drawResults(figures, `Measured on ${machine.date}, commit ${machine.commit}`),
  )
  const text = await readFile(page, 'utf8')
  await write(page, replaceResults(text, formatResults(report)))
  await writeFile(scalingPage, await generateScalingPage())
}

/** Writes the costs of a call to docs/reference/sizing.json, and the tables of docs/guides/scale.md. */
export async function saveSizing(report: SizingReport): Promise<void> {
  await write(path.join(reference, 'sizing.json'), JSON.stringify(report))
  await writeFile(scalingPage, await generateScalingPage())
}

/** Returns docs/guides/scale.md with tables that are computed from docs/reference/sizing.json and docs/reference/performance.json. */
export async function generateScalingPage(): Promise<string> {
  const read = async <Content>(name: string) =>
    JSON.parse(await readFile(path.join(reference, name), 'utf8')) as Content
  const sizing = await read<SizingReport>('sizing.json')
  const tables = Object.entries(formatSizing(sizing, await read<Report>('performance.json')))
  const text = tables.reduce(
    (replaced, [name, content]) => replaceResults(replaced, content, name),
    await readFile(scalingPage, 'utf8'),
  )
  return formatFile(scalingPage, text)
}

function formatResults({ machine, scale, figures }: Report): string {
  const size = scale === 1 ? '' : ` This was a quick check with BENCH_SCALE=${scale}.`
  const notes = figures.flatMap(({ row, notes: text }) => (text === null ? [] : [`- ${row}: ${text}\n`]))
  return [
    `Measured on this machine: ${formatMachine(machine)}.${size}\n`,
    formatTable(figures),
    notes.join(''),
  ].join('\n')
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
