import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import { replaceResults } from '../../bench/report/save.ts'
import { root } from '../support/docs.ts'

const run = promisify(execFile)
const main = path.join(root, 'bench/main.ts')

it('npm run bench measures a row with its peer, and prints the result beside its limit', async () => {
  const { stdout } = await run(process.execPath, [main, 'agents'], {
    env: { ...process.env, BENCH_SCALE: '0.001' },
  })
  expect(stdout).toMatch(
    /^\| agents \| .+ \| [\d.,]+ requests\/s \| [\d.,]+ requests\/s \| .+ × .+ \| ≥ 0.6 × \|/m,
  )
}, 120_000)

it('npm run bench names the rows if there is none with this name', async () => {
  const measured = run(process.execPath, [main, 'agent'])
  await expect(measured).rejects.toThrow(/The rows are: contacts, .*agents/)
})

it('npm run bench -- --save replaces only the results of docs/performance.md', () => {
  const page = 'Text\n\n<!-- results -->\n\nOld\n\n<!-- /results -->\n\nMore\n'
  expect(replaceResults(page, 'New\n')).toBe(page.replace('Old', 'New'))
})
