import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BenchClient, openClient } from './tools/client.ts'

/** `npm run bench:tools`: our tool server and the SDK's plain one, side by side in one run. */
interface Subject {
  name: string
  process: ChildProcess
  port: number
  queries: string[]
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
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

const cpuOf = async (subject: Subject) => (await ask<{ microseconds: number }>(subject, 'cpu')).microseconds
const heapOf = async (subject: Subject) => (await ask<{ heapUsed: number }>(subject, 'memory')).heapUsed

const opened = new Map<Subject, number>()

/** Connect, initialize, tools/list. */
async function open(subject: Subject): Promise<BenchClient> {
  const count = (opened.get(subject) ?? 0) + 1
  opened.set(subject, count)
  const client = await openClient(subject.port, subject.queries[count % subject.queries.length] ?? '')
  await client.request('initialize', initialize)
  await client.notify('notifications/initialized')
  await client.request('tools/list')
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
  /** By the clock. */
  perSecond: number
}

async function measure(subject: Subject, count: number, work: () => Promise<void>): Promise<Measured> {
  const cpu = await cpuOf(subject)
  const from = performance.now()
  await work()
  const seconds = (performance.now() - from) / 1_000
  return { cpu: ((await cpuOf(subject)) - cpu) / count, perSecond: count / seconds }
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
  const params = { name: 'echo', arguments: { text: 'Good morning, is this a good moment?', times: 1 } }
  const measured = await measure(subject, count, async () => {
    await Promise.all(
      open_.map((client) => times(count / clients, 1, () => client.request('tools/call', params))),
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

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** The two take turns, so that whatever else the machine does meets both. */
async function compare(
  rounds: number,
  work: (subject: Subject) => Promise<Measured>,
): Promise<[Measured, Measured]> {
  const results: Measured[][] = [[], []]
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const measured = await work(subject)
      if (round > 0) results[index]?.push(measured) // the first one warms up
    }
  }
  const [ours, plain] = results.map((list) => ({
    cpu: median(list.map(({ cpu }) => cpu)),
    perSecond: median(list.map(({ perSecond }) => perSecond)),
  }))
  if (ours === undefined || plain === undefined) throw new Error('two subjects are compared')
  return [ours, plain]
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const subjects = [await start('ours', [dataDir]), await start('sdk')] as const
const rows: string[][] = []

const addCpu = (name: string, [ours, plain]: [Measured, Measured], target: number) => {
  const ratio = plain.cpu / ours.cpu
  rows.push([
    name,
    `${ours.cpu.toFixed(0)} µs`,
    `${plain.cpu.toFixed(0)} µs`,
    `${ratio.toFixed(2)} ×`,
    `≥ ${target} ×`,
    `${ours.perSecond.toFixed(0)}/s against ${plain.perSecond.toFixed(0)}/s`,
  ])
}

addCpu('open a session', await compare(5, (subject) => openings(subject, 1_000)), 2)
addCpu('call, 1 client', await compare(5, (subject) => calls(subject, 1, 3_000)), 2)
addCpu('call, 64 clients', await compare(5, (subject) => calls(subject, 64, 12_800)), 2)
for (const count of [1_000, 5_000]) {
  const ours = await idleHeap(subjects[0], count)
  const plain = await idleHeap(subjects[1], count)
  rows.push([
    `heap for one of ${count.toLocaleString('en')} idle sessions`,
    `${ours.toFixed(1)} KiB`,
    `${plain.toFixed(1)} KiB`,
    (ours / plain).toFixed(2),
    '≤ 0.33',
    '',
  ])
}
for (const subject of subjects) subject.process.disconnect()

const head = ['', 'ours', "SDK's plain server", 'ratio', 'to reach', 'by the clock']
const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
process.stdout.write(`${table}\n`)
