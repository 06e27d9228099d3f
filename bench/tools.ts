import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { median } from './statistics.ts'
import { type BenchClient, hangUp } from './tools/client.ts'
import {
  getHeap,
  measureCalls,
  type MeasuredCpu,
  measureOpenings,
  openSession,
  repeatTimes,
  startToolServer,
  type ToolSubject,
} from './tools/subjects.ts'

/** Returns the server's heap per idle session, in KiB. */
async function idleHeap(subject: ToolSubject, count: number): Promise<number> {
  const before = await getHeap(subject)
  const clients: BenchClient[] = []
  await repeatTimes(count, 16, async () => void clients.push(await openSession(subject)))
  const after = await getHeap(subject)
  for (const client of clients) client.close()
  hangUp()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return (after - before) / count / 1024
}

const rounds = 7
/** Rounds before the measured ones, until V8 has compiled the code that runs often. */
const warmUps = 4

/** Measures the servers in turns, so that other work on the machine affects all of them. */
async function compare(work: (subject: ToolSubject) => Promise<MeasuredCpu>): Promise<MeasuredCpu[][]> {
  const results = subjects.map((): MeasuredCpu[] => [])
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const measured = await work(subject)
      hangUp()
      if (round >= 0) results[index]?.push(measured)
    }
  }
  return results
}

const root = path.join(import.meta.dirname, '..')
const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const ours = await startToolServer('ours', [dataDir])
const plain = await startToolServer('sdk', [root])
const former = await startToolServer('sdk', [path.join(root, 'bench/peers/zod-4.4')])
const floor = await startToolServer('floor')
const subjects = [ours, plain, former, floor]
const rows: string[][] = []

const formatMeasured = (measured: MeasuredCpu[]) => {
  const cpu = median(measured.map((each) => each.cpu))
  const kernel = median(measured.map((each) => each.kernel))
  return `${cpu.toFixed(0)} µs (${kernel.toFixed(0)})`
}

/** Returns the median of the rounds' ratios. Both values of a ratio are from one round, so noise affects both. */
const toRatio = (one: MeasuredCpu[] = [], other: MeasuredCpu[] = []) =>
  `${median(one.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? NaN))).toFixed(2)} ×`

async function addCpu(name: string, work: (subject: ToolSubject) => Promise<MeasuredCpu>) {
  const results = await compare(work)
  const [ownResult, theirs, before, least] = results
  const ratios = [toRatio(theirs, ownResult), toRatio(before, ownResult), '≥ 2 ×', toRatio(theirs, least)]
  rows.push([name, ...results.map(formatMeasured), ...ratios])
}

async function addHeap(count: number) {
  const [ownHeap, ...others] = [
    await idleHeap(ours, count),
    await idleHeap(plain, count),
    await idleHeap(former, count),
  ]
  const ratios = others.map((other) => (ownHeap / other).toFixed(2))
  const cells = [ownHeap, ...others].map((heap) => `${heap.toFixed(1)} KiB`)
  rows.push([`heap per session, ${count.toLocaleString('en')} idle`, ...cells, '', ...ratios, '≤ 0.33', ''])
}

await addCpu('open a session', (subject) => measureOpenings(subject, 1_000))
await addCpu('call, 1 client', (subject) => measureCalls(subject, 1, 3_000))
await addCpu('call, 64 clients', (subject) => measureCalls(subject, 64, 12_800))
for (const count of [1_000, 5_000]) await addHeap(count)
for (const subject of subjects) subject.process.disconnect()

const head = [
  '',
  'ours',
  ...[plain, former].map(({ zod }) => `SDK's plain server, zod ${zod}`),
  'node:http alone',
  ...[plain, former].map(({ zod }) => `ratio, zod ${zod}`),
  'goal',
  'best possible',
]
const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
process.stdout.write(`${table}\n`)
