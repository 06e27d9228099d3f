import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BenchClient, hangUp } from './tools/client.ts'
import { getHeap, openSession, repeatTimes, startToolServer, type ToolSubject } from './tools/subjects.ts'

/** How many sessions a server handles before it's measured, to warm up. */
const warmUpSessions = 500

/** Returns how much of the server's heap each idle session uses, in KiB. */
async function measureHeap(subject: ToolSubject, count: number): Promise<number> {
  const before = await getHeap(subject)
  const clients: BenchClient[] = []
  await repeatTimes(count, 16, async () => void clients.push(await openSession(subject)))
  const after = await getHeap(subject)
  for (const client of clients) client.close()
  hangUp()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return (after - before) / count / 1024
}

const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const ours = await startToolServer('ours', [dataDir])
const sdk = await startToolServer('sdk')
for (const server of [ours, sdk]) await measureHeap(server, warmUpSessions)

const rows: string[][] = []
for (const count of [1_000, 5_000]) {
  const ourHeap = await measureHeap(ours, count)
  const sdkHeap = await measureHeap(sdk, count)
  const heaps = [ourHeap, sdkHeap].map((heap) => `${heap.toFixed(1)} KiB`)
  rows.push([count.toLocaleString('en-US'), ...heaps, (ourHeap / sdkHeap).toFixed(2)])
}
for (const server of [ours, sdk]) server.process.disconnect()

const head = ['Idle sessions', 'Heap per session', "The SDK's plain server", 'Ratio']
const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
process.stdout.write(`${table}\n`)
