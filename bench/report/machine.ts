import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'
import { findBinaries } from '../../backend/platform/db/embedded/binaries.ts'
import { findAccount } from '../../backend/platform/db/embedded/os-account.ts'

/** The facts about the machine and the code that the figures depend on. They contain no names or paths of the machine. */
export interface Machine {
  date: string
  commit: string
  hasUncommittedChanges: boolean
  cpu: string
  cores: number
  memoryGib: number
  platform: string
  node: string
  postgresql: string
  /** The machine's load average in the minute before the run: how many programs used or waited for a core. */
  loadBefore: number
}

/** Describes this machine and the code. */
export async function describeMachine(): Promise<Machine> {
  const { postgres } = await findBinaries(findAccount(undefined, { warn: () => {} }))
  const version = execFileSync(postgres, ['--version'], { encoding: 'utf8' })
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short', 'HEAD'),
    hasUncommittedChanges: git('status', '--porcelain', '--untracked-files=no') !== '',
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    postgresql: /[\d.]+/.exec(version)?.[0] ?? 'unknown',
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(1)),
  }
}

/** Returns the output of a git command, or an empty text if the code isn't in a repository. */
function git(...args: string[]): string {
  try {
    const options = { cwd: path.join(import.meta.dirname, '../..'), encoding: 'utf8' } as const
    return execFileSync('git', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

/** Formats the facts as a sentence for the page and the terminal. */
export function formatMachine(machine: Machine): string {
  const { date, commit, hasUncommittedChanges, cpu, cores, memoryGib, node, postgresql, loadBefore } = machine
  const code = `${commit}${hasUncommittedChanges ? ' with uncommitted changes' : ''}`
  return `${cpu}, ${cores} cores, ${memoryGib} GiB of memory, Node ${node}, PostgreSQL ${postgresql}, ${date}, commit ${code}, load ${loadBefore} before the run`
}
