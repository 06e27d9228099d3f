import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BenchClient, openClient } from './tools/client.ts'
import { calls as talk, initialize, initialized, listTools } from './tools/talk.ts'

/** `npm run bench:tools`: our tool server, the SDK's plain one, and what node:http alone costs, side by side in one run. */
interface Subject {
  name: string
  process: ChildProcess
  port: number
  queries: string[]
}

async function start(name: string, args: string[] = []): Promise<Subject> {
  const file = path.join(import.meta.dirname, `tools/${name}.ts`)
  const child = fork(file, args, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [facts] = (await once(child, 'message')) as [{ port: number; queries: string[] }]
  return { name, process: child, ...facts }
}

async function ask<Answer>(subject: Subject, question: string): Promise<Answer> {
  subject.process.send(question)
  const [answer] = (await once(subject.process, 'message')) as [Answer]
  return answer
}

const cpuOf = (subject: Subject) => ask<{ user: number; system: number }>(subject, 'cpu')
const heapOf = async (subject: Subject) => (await ask<{ heapUsed: number }>(subject, 'memory')).heapUsed

const opened = new Map<Subject, number>()

/** Connect, initialize, tools/list. */
async function open(subject: Subject): Promise<BenchClient> {
  const count = (opened.get(subject) ?? 0) + 1
  opened.set(subject, count)
  const client = await openClient(subject.port, subject.queries[count % subject.queries.length] ?? '')
  await client.request(initialize)
  await client.notify(initialized)
  await client.request(listTools)
  return client
}

const times = async (count: number, width: number, work: () => Promise<void>) => {
  let left = count
  const run = async () => {
    while (left > 0) {
      left -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, run))
}

interface Measured {
  /** Server CPU, microseconds for one. */
  cpu: number
  /** The kernel's part of it. */
  kernel: number
  /** By the clock. */
  perSecond: number
}

async function measure(subject: Subject, count: number, work: () => Promise<void>): Promise<Measured> {
  const before = await cpuOf(subject)
  const from = performance.now()
  await work()
  const seconds = (performance.now() - from) / 1_000
  const after = await cpuOf(subject)
  const kernel = (after.system - before.system) / count
  return { cpu: (after.user - before.user) / count + kernel, kernel, perSecond: count / seconds }
}

const openings = (subject: Subject, count: number) =>
  measure(subject, count, () =>
    times(count, 8, async () => {
      const client = await open(subject)
      client.close()
    }),
  )

async function calls(subject: Subject, clients: number, count: number): Promise<Measured> {
  const open_ = await Promise.all(Array.from({ length: clients }, () => open(subject)))
  const measured = await measure(subject, count, async () => {
    await Promise.all(
      open_.map(async (client) => {
        for (let made = 0; made < count / clients; made += 1) {
          await client.request(talk[made % talk.length] ?? listTools)
        }
      }),
    )
  })
  for (const client of open_) client.close()
  return measured
}

/** Heap of the server for one session that waits, in KiB. */
async function idleHeap(subject: Subject, count: number): Promise<number> {
  const before = await heapOf(subject)
  const clients: BenchClient[] = []
  await times(count, 16, async () => void clients.push(await open(subject)))
  const after = await heapOf(subject)
  for (const client of clients) client.close()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return (after - before) / count / 1024
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** They take turns, so that whatever else the machine does meets all. */
async function compare(rounds: number, work: (subject: Subject) => Promise<Measured>): Promise<Measured[][]> {
  const results = subjects.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const measured = await work(subject)
      if (round > 0) results[index]?.push(measured) // the first one warms up
    }
  }
  return results
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const subjects = [await start('ours', [dataDir]), await start('sdk'), await start('floor')] as const
const rows: string[][] = []

const tell = (measured: Measured[]) => {
  const cpu = median(measured.map((each) => each.cpu))
  const kernel = median(measured.map((each) => each.kernel))
  return `${cpu.toFixed(0)} µs (${kernel.toFixed(0)})`
}

/** How many times as much the SDK's server takes as another: each round by itself, so that its noise meets both. */
const ratioOf = (plain: Measured[], other: Measured[]) =>
  `${median(plain.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? NaN))).toFixed(2)} ×`

const addCpu = (name: string, [ours, plain, floor]: Measured[][], target: number) => {
  if (ours === undefined || plain === undefined || floor === undefined) throw new Error('three are compared')
  const [own, theirs] = [ours, plain].map((list) => median(list.map(({ perSecond }) => perSecond)).toFixed(0))
  rows.push([
    name,
    ...[ours, plain, floor].map(tell),
    ratioOf(plain, ours),
    `≥ ${target} ×`,
    ratioOf(plain, floor),
    `${own}/s against ${theirs}/s`,
  ])
}

addCpu('open a session', await compare(7, (subject) => openings(subject, 1_000)), 2)
addCpu('call, 1 client', await compare(7, (subject) => calls(subject, 1, 3_000)), 2)
addCpu('call, 64 clients', await compare(7, (subject) => calls(subject, 64, 19_200)), 2)
for (const count of [1_000, 5_000]) {
  const ours = await idleHeap(subjects[0], count)
  const plain = await idleHeap(subjects[1], count)
  rows.push([
    `heap for one of ${count.toLocaleString('en')} idle sessions`,
    `${ours.toFixed(1)} KiB`,
    `${plain.toFixed(1)} KiB`,
    '',
    (ours / plain).toFixed(2),
    '≤ 0.33',
    '',
    '',
  ])
}
for (const subject of subjects) subject.process.disconnect()

const head = [
  '',
  'ours',
  "SDK's plain server",
  'node:http alone',
  'ratio',
  'to reach',
  'at most',
  'by the clock',
]
const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
process.stdout.write(`${table}\n`)
