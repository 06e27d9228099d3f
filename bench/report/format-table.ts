import type { Figures } from './summarize.ts'

/** Formats the figures as a Markdown table for the terminal, where nothing else says what was measured. */
export function formatTable(all: readonly Figures[]): string {
  const head = ['Row', 'What', 'Compared with', 'Ours', 'Peer', 'Result (quartiles)', 'Limit', 'Met']
  const lines = all.map((figures) => [
    figures.row,
    figures.what,
    figures.against ?? '–',
    `${formatNumber(figures.ours)} ${figures.unit}`,
    figures.peer === null ? '–' : `${formatNumber(figures.peer)} ${figures.unit}`,
    formatResult(figures),
    formatLimit(figures),
    figures.isMet === null ? '–' : figures.isMet ? 'yes' : '**no**',
  ])
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/**
 * Formats the figures as a Markdown table for docs/reference/performance.md, which describes the rows. At most 120
 * characters wide.
 */
export function formatPageTable(all: readonly Figures[]): string {
  const head = ['Measured', 'Outdial', 'Peer', 'Result (quartiles)', 'Limit', 'Met']
  const groups = [...Map.groupBy(all, ({ row }) => row)]
  const lines = groups.flatMap(([row, figures]) => [
    [`\`${row}\``, '', '', '', '', ''],
    ...figures.map((each) => [
      each.label,
      formatAmount(each.ours, each.unit),
      each.peer === null ? '–' : formatAmount(each.peer, each.unit),
      formatResult(each, '–'),
      formatLimit(each),
      each.isMet === null ? '–' : each.isMet ? 'yes' : '**no**',
    ]),
  ])
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** Formats an amount with a unit that the page's text explains: "3,359/s" for requests, "31.4 µs" of CPU time. */
function formatAmount(value: number, unit: string): string {
  const short = unit.replace(/^\w+(?=\/s$)/, '').replace(/ of CPU$/, '')
  return `${formatNumber(value)}${short.startsWith('/') ? '' : ' '}${short}`
}

/** Formats the result with the quartiles of its rounds. */
export function formatResult(figures: Figures, to = ' to '): string {
  const { lower, upper } = figures.result
  const median = formatMedian(figures)
  return figures.rounds === 1 ? median : `${median} (${formatNumber(lower)}${to}${formatNumber(upper)})`
}

/** Formats the median. One that misses its limit has more digits if it would otherwise look like the limit. */
export function formatMedian(figures: Figures): string {
  const { result, limit, isMet } = figures
  const short = formatNumber(result.median)
  const looksMet = isMet === false && limit !== null && short === formatNumber(limit.value)
  return `${looksMet ? result.median.toPrecision(4) : short}${resultUnit(figures)}`
}

export function formatLimit(figures: Figures): string {
  const { limit } = figures
  if (limit === null) return '–'
  return `${limit.at === 'least' ? '≥' : '≤'} ${limit.value}${resultUnit(figures)}`
}

const resultUnit = ({ compare, unit }: Figures): string => (compare === 'ratio' ? ' ×' : ` ${unit}`)

/** Formats three digits of a small number, and all digits before the point of a large one. */
function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(Math.abs(value) < 1 ? 2 : 3)))
}
