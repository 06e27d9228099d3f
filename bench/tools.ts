import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BenchClient, hangUp, openClient } from './tools/client.ts'
import { initialize, initialized, listTools, toolCalls } from './tools/conversation.ts'

/**
 * One of the servers that `npm run bench:tools` compares: ours, the SDK's plain server (with the current zod, and with
 * the zod of the time when the goals were set), and `node:http` alone.
 */
interface Subject {
  process: ChildProcess
  port: number
  queries: string[]
  /** The zod version that the SDK uses. */
  zod?: string
}

async function start(name: string, args: string[] = []): Promise<Subject> {
  const file = path.join(import.meta.dirname, `tools/${name}.ts`)
  const child = fork(file, args, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [facts] = (await once(child, 'message')) as [Pick<Subject, 'port' | 'queries' | 'zod'>]
  return { process: child, ...facts }
}

async function query<Reply>(subject: Subject, question: string): Promise<Reply> {
  subject.process.send(question)
  const [reply] = (await once(subject.process, 'message')) as [Reply]
  return reply
}

const getCpu = (subject: Subject) => query<{ user: number; system: number }>(subject, 'cpu')
const getHeap = async (subject: Subject) => (await query<{ heapUsed: number }>(subject, 'memory')).heapUsed

const opened = new Map<Subject, number>()

/** Opens a session: connect, initialize, tools/list. */
async function open(subject: Subject): Promise<BenchClient> {
  const count = (opened.get(subject) ?? 0) + 1
  opened.set(subject, count)
  const client = await openClient(subject.port, subject.queries[count % subject.queries.length] ?? '')
  await client.request(initialize)
  await client.notify(initialized)
  await client.request(listTools)
  return client
}

const repeat = async (count: number, width: number, work: () => Promise<void>) => {
  let remaining = count
  const run = async () => {
    while (remaining > 0) {
      remaining -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, run))
}

interface Measured {
  /** The server's CPU time per operation, in microseconds. */
  cpu: number
  /** The kernel's part of `cpu`. */
  kernel: number
}

async function measure(subject: Subject, count: number, work: () => Promise<void>): Promise<Measured> {
  const before = await getCpu(subject)
  await work()
  const after = await getCpu(subject)
  const kernel = (after.system - before.system) / count
  return { cpu: (after.user - before.user) / count + kernel, kernel }
}

const openings = (subject: Subject, count: number) =>
  measure(subject, count, () =>
    repeat(count, 8, async () => {
      const client = await open(subject)
      client.close()
    }),
  )

async function calls(subject: Subject, clients: number, count: number): Promise<Measured> {
  const open_ = await Promise.all(Array.from({ length: clients }, () => open(subject)))
  const measured = await measure(subject, count, async () => {
    await Promise.all(
      open_.map(async (client) => {
        for (let callIndex = 0; callIndex < count / clients; callIndex += 1) {
          await client.request(toolCalls[callIndex % toolCalls.length] ?? listTools)
        }
      }),
    )
  })
  for (const client of open_) client.close()
  return measured
}

/** Returns the server's heap per idle session, in KiB. */
async function idleHeap(subject: Subject, count: number): Promise<number> {
  const before = await getHeap(subject)
  const clients: BenchClient[] = []
  await repeat(count, 16, async () => void clients.push(await open(subject)))
  const after = await getHeap(subject)
  for (const client of clients) client.close()
  hangUp()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return (after - before) / count / 1024
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const rounds = 7
/** Rounds before the measured ones, until V8 has compiled the code that runs often. */
const warmUps = 4

/** Measures the servers in turns, so that other work on the machine affects all of them. */
async function compare(work: (subject: Subject) => Promise<Measured>): Promise<Measured[][]> {
  const results = subjects.map((): Measured[] => [])
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
const ours = await start('ours', [dataDir])
const plain = await start('sdk', [root])
const former = await start('sdk', [path.join(root, 'bench/peers/zod-4.4')])
const floor = await start('floor')
const subjects = [ours, plain, former, floor]
const rows: string[][] = []

const formatMeasured = (measured: Measured[]) => {
  const cpu = median(measured.map((each) => each.cpu))
  const kernel = median(measured.map((each) => each.kernel))
  return `${cpu.toFixed(0)} µs (${kernel.toFixed(0)})`
}

/** Returns the median of the rounds' ratios. Both values of a ratio are from one round, so noise affects both. */
const toRatio = (one: Measured[] = [], other: Measured[] = []) =>
  `${median(one.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? NaN))).toFixed(2)} ×`

async function addCpu(name: string, work: (subject: Subject) => Promise<Measured>) {
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

await addCpu('open a session', (subject) => openings(subject, 1_000))
await addCpu('call, 1 client', (subject) => calls(subject, 1, 3_000))
await addCpu('call, 64 clients', (subject) => calls(subject, 64, 12_800))
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
