import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { StartupError } from '../../start-error.ts'
import type { Account } from './os-account.ts'
import { postgresEnvironment } from './environment.ts'
import { watchdog } from './watchdog.ts'

export interface PostmasterOptions {
  postgres: string
  account: Account
  cluster: string
  /** The folder of the socket. It is removed when PostgreSQL was stopped. */
  socketFolder: string
  /** Removed when PostgreSQL was stopped, also where this process was killed. For tests. */
  temporaryFolder: string | undefined
  /** `name=value` of postgresql.conf. */
  settings: string[]
  onLine: (line: string) => void
}

export interface Postmaster {
  /** Resolves when PostgreSQL has ended, whoever ended it. */
  ended: Promise<unknown>
  stop: () => Promise<void>
}

/**
 * Starts PostgreSQL and resolves when it accepts connections.
 *
 * @throws {StartupError} with PostgreSQL's own words where it ends before that
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const child = spawnPostmaster(options)
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  const lines: string[] = []
  const ready = new Promise<boolean>((resolve) => {
    void ended.then(() => resolve(false))
    if (child.stderr === null) return
    createInterface({ input: child.stderr }).on('line', (line) => {
      options.onLine(line)
      lines.push(line)
      if (line.includes('database system is ready to accept connections')) resolve(true)
    })
  })
  if (!(await ready)) throw toStartupError(lines)
  lines.length = 0
  return {
    ended,
    stop: async () => {
      if (child.exitCode !== null) return
      if (process.platform === 'win32') child.kill()
      child.stdin?.end()
      await ended
    },
  }
}

function spawnPostmaster(options: PostmasterOptions): ChildProcess {
  const flags = ['-D', options.cluster, ...options.settings.flatMap((setting) => ['-c', setting])]
  const settings = { ...options.account.ids, cwd: options.cluster, env: postgresEnvironment() }
  if (process.platform === 'win32') {
    return spawn(options.postgres, flags, { ...settings, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const folders = [options.socketFolder, options.temporaryFolder ?? '']
  return spawn('/bin/sh', ['-c', watchdog, 'outdial', ...folders, options.postgres, ...flags], {
    ...settings,
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true, // Ctrl-C in the terminal must not stop the database before the service
  })
}

function toStartupError(lines: string[]): StartupError {
  const reason =
    lines.findLast((line) => /FATAL|PANIC|error/.test(line)) ?? lines.at(-1) ?? 'it ended without a word'
  return new StartupError(
    `The embedded PostgreSQL did not start: ${reason.replace(/^.*(FATAL|PANIC): +/, '')}`,
  )
}
