import { expect, it } from '@jest/globals'
import { generateScalingPage } from '../../bench/report/save.ts'
import { computeSize, type SizingReport } from '../../bench/report/sizing-tables.ts'
import { readPage } from '../support/docs.ts'

const sizing = JSON.parse(readPage('docs/reference/sizing.json')) as SizingReport

it('docs/guides/scale.md matches the measured sizes: run `npm run bench:sizing -- --save` if this fails', async () => {
  expect(readPage('docs/guides/scale.md')).toBe(await generateScalingPage())
})

it('the computed sizes grow in proportion to the number of calls', () => {
  const small = computeSize(sizing, 1_000_000)
  const large = computeSize(sizing, 10_000_000)
  expect(small.averagePerSecond).toBeCloseTo(27.8, 1)
  for (const size of [
    'postgresqlCores',
    'workerCores',
    'apiCores',
    'walBytesPerDay',
    'diskBytesPerMonth',
  ] as const) {
    expect(small[size]).toBeGreaterThan(0)
    expect(large[size] / small[size]).toBeCloseTo(10, 5)
  }
})
