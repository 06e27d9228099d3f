import { formatLimit, formatMedian } from './format-table.ts'
import type { Figures } from './summarize.ts'

const width = 920
const rowHeight = 34
const head = 64
const labelWidth = 280
/** The x coordinate of all limits. It's the same for all, so that every bar can be compared with the same line. */
const limitX = 560
const maxX = 740

/**
 * Draws each result as a bar, scaled so that the results' limits are at the same place. The background is part of the picture,
 * so that its text can also be read on a dark page.
 */
export function drawResults(all: readonly Figures[], caption: string): string {
  const rows = all.filter(({ limit }) => limit !== null && limit.value > 0) // bars of other results couldn't be scaled
  const height = head + rows.length * rowHeight + 40
  const end = height - 34
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
  <title id="title">Results of npm run bench</title>
  <desc id="description">${escape(rows.map(describe).join('. '))}.</desc>
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2937 }
    .small { font-size: 11px; fill: #4b5563 }
    .title { font-size: 15px; font-weight: 600 }
  </style>
  <rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>
  <text class="title" x="16" y="26">Results compared with their limits</text>
  <text class="small" x="16" y="46">A result with ≥ must reach the line, and one with ≤ must not go beyond it. Green results do, orange ones don't.</text>
${rows.map((figures, index) => drawRow(figures, head + index * rowHeight)).join('\n')}
  <line x1="${limitX}" y1="${head - 4}" x2="${limitX}" y2="${end}" stroke="#111827" stroke-dasharray="4 3"/>
  <text class="small" x="${limitX}" y="${end + 14}" text-anchor="middle">limit</text>
  <text class="small" x="16" y="${height - 14}">${escape(caption)}</text>
</svg>
`
}

function drawRow(figures: Figures, y: number): string {
  const share = figures.result.median / (figures.limit?.value ?? NaN)
  const barWidth = Math.min(maxX - labelWidth, Math.max(2, share * (limitX - labelWidth)))
  const color = figures.isMet ? '#15803d' : '#b45309'
  return `  <text x="16" y="${y + 20}">${escape(figures.label)}</text>
  <rect x="${labelWidth}" y="${y + 6}" width="${barWidth.toFixed(1)}" height="20" rx="3" fill="${color}"/>
  <text x="${maxX + 12}" y="${y + 20}">${escape(`${formatMedian(figures)} (${formatLimit(figures)})`)}</text>`
}

const describe = (figures: Figures): string =>
  `${figures.label}: ${formatMedian(figures)}, limit ${formatLimit(figures)}`

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
