import { expect, it } from '@jest/globals'
import { formatSummary, generatePerformancePage, generatePicture } from '../../bench/report/save.ts'
import type { Figures } from '../../bench/report/summarize.ts'
import { readPage } from '../support/docs.ts'

const page = 'docs/reference/performance.md'

it('docs/reference/performance.md shows the results in performance.json: run `npm run generate` if this fails', async () => {
  expect(readPage(page)).toBe(await generatePerformancePage())
  expect(readPage('docs/pictures/performance.svg')).toBe(await generatePicture())
})

it("no row in the page's table of results is longer than 120 characters", () => {
  const [results = ''] = /<!-- results, [^]*?<!-- End of the tables -->/.exec(readPage(page)) ?? []
  const rows = results.split('\n').filter((line) => line.startsWith('|'))
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter((line) => line.length > 120)).toEqual([])
})

it('the page describes every row that has results', () => {
  const text = readPage(page)
  const { figures } = JSON.parse(readPage('docs/reference/performance.json')) as { figures: Figures[] }
  const described = text.slice(text.indexOf('## What the rows mean'))
  expect(figures.filter(({ row }) => !described.includes(`\`${row}\``))).toEqual([])
})

it("the summary says how many limits are met, and lists those that aren't", () => {
  const met: Figures = {
    row: 'calls',
    label: 'Calls',
    what: 'calls',
    against: 'a peer',
    unit: 'calls/s',
    compare: 'ratio',
    limit: { at: 'least', value: 0.4 },
    ours: 1_000,
    peer: 2_000,
    result: { median: 0.5, lower: 0.4, upper: 0.6 },
    isMet: true,
    rounds: 7,
    notes: null,
  }
  const missed: Figures = { ...met, label: 'Agents', row: 'agents', isMet: false }
  const unlimited: Figures = { ...met, limit: null, isMet: null }
  expect(formatSummary([met, met, unlimited])).toBe('Outdial meets all 2 limits.\n')
  expect(formatSummary([met, missed])).toBe(
    'Outdial meets 1 of 2 limits. It misses these:\n\n- Agents (`agents`): 0.5 ×, limit ≥ 0.4 ×\n',
  )
  const median = (value: number) => ({ ...missed, result: { ...missed.result, median: value } })
  expect(formatSummary([median(0.3996)])).toContain(': 0.3996 ×, limit ≥ 0.4 ×')
})
