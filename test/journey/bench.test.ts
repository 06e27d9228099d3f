import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import { root } from '../support/docs.ts'

const run = promisify(execFile)
const main = path.join(root, 'bench/main.ts')

it('npm run bench measures the given rows, and prints the results of Outdial and a peer beside the limit', async () => {
  const { stdout } = await run(process.execPath, [main, 'agents', 'tool-sessions'], {
    env: { ...process.env, BENCH_SCALE: '0.001' },
  })
  expect(stdout).toMatch(
    /^\| agents \| .+ \| [\d.,]+ requests\/s \| [\d.,]+ requests\/s \| .+ × \| ≥ 0.6 × \|/m,
  )
  expect(stdout).toMatch(/^\| tool-sessions \|/m)
}, 300_000)

it('npm run bench -- speed-to-lead measures the delays before the dial request and the webhook, in each setup', async () => {
  const { stdout } = await run(process.execPath, [main, 'speed-to-lead'], {
    env: { ...process.env, BENCH_SCALE: '0.001' },
  })
  for (const setup of ['one process', 'an API and a worker process'])
    for (const what of ['POST /contacts/` sent → dial request', 'last report of the attempt sent → webhook'])
      expect(stdout).toMatch(new RegExp(`${what}[^|]*, ${setup}, [^|]*p99 \\| – \\| [\\d.,]+ ms`))
}, 300_000)

it('npm run bench -- indexes prints what each database index on calls costs', async () => {
  const { stdout } = await run(process.execPath, [main, 'indexes'], {
    env: { ...process.env, BENCH_SCALE: '0.001' },
  })
  const costs = [...stdout.matchAll(/`(call_\w+)` ([\d.]+)%, (\d+) MB/g)]
  const costOf = new Map(costs.map(([, name = '', share]) => [name, Number(share)]))
  expect([...costOf.keys()]).toEqual(expect.arrayContaining(['call_open_once', 'call_due', 'call_list']))
  // call_list contains every call. The other two contain only test calls, and the benchmark makes no test calls.
  expect(costOf.get('call_list')).toBeGreaterThan(1)
  expect(costOf.get('call_test')).toBeLessThan(1)
  expect(costOf.get('call_due_test')).toBeLessThan(1)
}, 300_000)

it('BENCH_FINISHED_CALLS adds that many finished calls to the large databases of the benchmark rows `claim` and `lists`', async () => {
  const { stdout } = await run(process.execPath, [main, 'claim', 'lists'], {
    env: { ...process.env, BENCH_SCALE: '0.001', BENCH_FINISHED_CALLS: '3000' },
  })
  expect(stdout).toMatch(/a claim of 50 calls, with 2,000 queued calls .+, after 3,000 finished calls, p50/)
  expect(stdout).toContain("the dashboard's overview of a workspace with 5,000 calls")
}, 600_000)

it('npm run bench -- start prints how much memory each part of the service takes', async () => {
  const { stdout } = await run(process.execPath, [main, 'start'], {
    env: { ...process.env, BENCH_SCALE: '0.001' },
  })
  expect(stdout).toMatch(
    /an empty process [\d.]+ .+; time zones of numbers [\d.]+ .+; the running service -?[\d.]+ /,
  )
}, 300_000)

const itOnLinux = process.platform === 'linux' ? it : it.skip

itOnLinux(
  'npm run bench:sizing measures the CPU time and database space that calls take',
  async () => {
    const { stdout } = await run(process.execPath, [path.join(root, 'bench/sizing.ts')], {
      env: { ...process.env, BENCH_SCALE: '0.001' },
    })
    const costs = JSON.parse(`[${stdout.replaceAll(/^\}\n(?=\{)/gm, '},')}]`) as Record<string, unknown>[]
    expect(costs).toMatchObject([
      { kind: 'unanswered', calls: 20, cpuMs: { api: expect.any(Number) }, tableBytes: expect.any(Object) },
      { kind: 'answered', calls: 4, transcriptCharacters: expect.any(Number) },
      { calls: 1, seconds: 1, walBytes: expect.any(Number) },
    ])
    for (const { walBytes } of costs.slice(0, 2)) expect(walBytes).toBeGreaterThan(1_000)
  },
  240_000,
)

it('npm run bench fails if no row has the given name, and lists the names of all rows', async () => {
  const measured = run(process.execPath, [main, 'agent'])
  await expect(measured).rejects.toThrow(/The rows are: speed-to-lead, .*agents/)
})
