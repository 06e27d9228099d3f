import type { Figures } from './summarize.ts'

/** Formats the figures as a Markdown table for the terminal. The table has all that the reader needs to know about a figure. */
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
 * Formats the figures as a Markdown table for docs/reference/performance.md, which describes the rows. Lines have at most 120
 * characters.
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

/** Formats an amount with its unit. Leaves out words that the page explains: "3,359/s" for requests, "31.4 µs" of CPU time. */
function formatAmount(value: number, unit: string): string {
  const short = unit.replace(/^\w+(?=\/s$)/, '').replace(/ of CPU$/, '')
  return `${formatNumber(value)}${short.startsWith('/') ? '' : ' '}${short}`
}

/** Formats a result: the median and the quartiles of its rounds. */
export function formatResult(figures: Figures, to = ' to '): string {
  const { lower, upper } = figures.result
  const median = formatMedian(figures)
  return figures.rounds === 1 ? median : `${median} (${formatNumber(lower)}${to}${formatNumber(upper)})`
}

/** Formats the median. Adds digits to a median that misses its limit but would be rounded to the limit. */
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

/** Formats two digits of a number below 1, and three of a number from 1 to 100. Larger numbers have no decimals. */
function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(Math.abs(value) < 1 ? 2 : 3)))
}
