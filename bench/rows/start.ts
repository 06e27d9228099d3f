import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { findBinaries } from '../../backend/platform/db/embedded/binaries.ts'
import { clusterFolder, findAccount } from '../../backend/platform/db/embedded/os-account.ts'
import { startPostmaster } from '../../backend/platform/db/embedded/postmaster.ts'
import { createTemporaryFolder } from '../../backend/platform/db/embedded/private-folder.ts'
import { findFreePort } from '../../backend/platform/db/embedded/server-address.ts'
import { createFolder, environmentWithoutSettings } from '../machine-state.ts'
import { atMost, type Row, takeTurns } from '../row.ts'

const script = path.join(import.meta.dirname, '../../scripts/start.mjs')
const memoryScript = path.join(import.meta.dirname, '../processes/memory.mjs')

export const start: Row = {
  name: 'start',
  run: async ({ scale, onEnd }) => {
    const { folder: dataDir, remove } = await createFolder()
    onEnd(remove)
    const memories: number[] = []
    const ours = async () => {
      const { seconds, memoryMib } = await startService(dataDir)
      memories.push(memoryMib)
      return seconds
    }
    await ours() // creates the database, the demo workspace, and the cache of compiled code
    await ours()
    const rounds = await takeTurns(scale.rounds, ours, () => startPostgresAndNode(dataDir))
    const { steps, lookUpUs } = measureSteps(dataDir)
    return [
      {
        label: 'Warm start',
        what: 'a warm start of the service, until it logs that it is ready',
        against: 'a bare `postgres` on the same files, then an empty Node program',
        unit: 's',
        compare: 'difference',
        rounds,
        limit: atMost(1),
      },
      {
        label: 'Memory after the start',
        what: 'memory of the Node process after a warm start',
        unit: 'MiB',
        compare: 'ours',
        rounds: memories.slice(-scale.rounds).map((memory) => ({ ours: memory, peer: NaN })),
        notes: formatSteps(steps),
      },
      {
        label: 'Time zones of a number',
        what: "finding a new number's time zones in memory, including parsing the number",
        unit: 'µs',
        compare: 'ours',
        rounds: [{ ours: lookUpUs, peer: NaN }],
      },
    ]
  },
}

/** Starts the service as a process, measures the start, and stops the service. */
async function startService(dataDir: string): Promise<{ seconds: number; memoryMib: number }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [script], {
    env: { ...environmentWithoutSettings(), DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Outdial is ready')) break
  }
  if (child.exitCode !== null) throw new Error('the service ended before it was ready')
  const seconds = (performance.now() - startedAt) / 1_000
  const memoryMib = measureMemory(child)
  child.kill('SIGTERM')
  await exited
  return { seconds, memoryMib }
}

/** Returns a process's resident memory in MiB, as the operating system reports it. */
function measureMemory({ pid }: ChildProcess): number {
  const kib = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kib) / 1_024
}

/** The memory of a process in MiB, after a step of its start and a garbage collection. */
interface Step {
  step: string
  /** The resident memory, as the operating system reports it. */
  rssMib: number
  heapMib: number
  externalMib: number
}

/** Starts the service step by step, in a process that measures its own memory. */
function measureSteps(dataDir: string): { steps: Step[]; lookUpUs: number } {
  const output = execFileSync(process.execPath, ['--expose-gc', memoryScript], {
    env: { ...environmentWithoutSettings(), DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' },
    encoding: 'utf8',
  })
  return JSON.parse(output) as { steps: Step[]; lookUpUs: number }
}

/** Formats the memory that each step adds. */
function formatSteps(steps: readonly Step[]): string {
  const parts = steps.map(({ step, rssMib, heapMib, externalMib }, index) => {
    const before = steps[index - 1] ?? { rssMib: 0, heapMib: 0, externalMib: 0 }
    const [rss, heap, external] = [
      rssMib - before.rssMib,
      heapMib - before.heapMib,
      externalMib - before.externalMib,
    ].map((mib) => mib.toFixed(1))
    return `${step} ${rss} (${heap}, ${external})`
  })
  return `MiB that each step of a start adds, after garbage collection, with the JavaScript heap and the external memory in parentheses: ${parts.join('; ')}`
}

/** Starts only what every service with an embedded database needs: PostgreSQL and Node. */
async function startPostgresAndNode(dataDir: string): Promise<number> {
  const account = findAccount(dataDir, { warn: () => {} })
  const { postgres } = await findBinaries(account)
  const socketFolder = await createTemporaryFolder('outdial-bench-', account, tmpdir())
  const port = await findFreePort('127.0.0.1')
  const startedAt = performance.now()
  const running = await startPostmaster({
    postgres,
    account,
    cluster: path.join(dataDir, clusterFolder),
    socketFolder,
    temporaryFolder: undefined,
    settings: [`port=${port}`, `unix_socket_directories=${socketFolder}`, 'listen_addresses='],
    onLine: () => {},
  })
  execFileSync(process.execPath, ['-e', '0'])
  const seconds = (performance.now() - startedAt) / 1_000
  await running.stop()
  return seconds
}
