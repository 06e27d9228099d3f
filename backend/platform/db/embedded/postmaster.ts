import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartupError } from '../../core/errors.ts'
import type { Account } from './os-account.ts'

const run = promisify(execFile)

interface PostmasterOptions {
  postgres: string
  account: Account
  cluster: string
  /** The folder of the socket. Removed when PostgreSQL is stopped. */
  socketFolder: string
  /** A folder of a test, which is removed when PostgreSQL is stopped, even if this process is killed. */
  temporaryFolder: string | undefined
  /** Settings of postgresql.conf, each as `name=value`. */
  settings: string[]
  onLine: (line: string) => void
  /** Called when the program has started, before it accepts connections. */
  onSpawn?: () => void
}

export interface Postmaster {
  /** Resolves when PostgreSQL has ended for any reason. */
  ended: Promise<unknown>
  stop: () => Promise<void>
}

/**
 * Starts PostgreSQL and resolves when it accepts connections.
 *
 * @throws {StartupError} with PostgreSQL's error message, if PostgreSQL ends before it accepts connections
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const child = spawnPostmaster(options)
  options.onSpawn?.()
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  const lines: string[] = []
  const ready = new Promise<boolean>((resolve) => {
    void ended.then(() => resolve(false))
    if (child.stderr === null) return
    createInterface({ input: child.stderr }).on('line', (line) => {
      options.onLine(line)
      lines.push(line)
      // A standby, which some tests start, accepts read-only connections.
      if (/ready to accept (read-only )?connections/.test(line)) resolve(true)
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
    lines.findLast((line) => /FATAL|PANIC|error/.test(line)) ?? lines.at(-1) ?? 'it ended without a message'
  return new StartupError(
    `The embedded PostgreSQL didn't start: ${reason.replace(/^.*(FATAL|PANIC): +/, '').replace(/\.$/, '')}. Correct this, then start Outdial again, or set DATABASE_URL to use another PostgreSQL.`,
  )
}

/**
 * A script that runs PostgreSQL ("$@") until standard input ends, which happens however the parent dies, even with kill -9.
 * Then the script sends SIGINT to PostgreSQL, which stops without waiting for its clients, and removes the folders $1 and
 * $2. It repeats the signal every second, because a program that has just started may miss the first one. If PostgreSQL
 * ends without a signal, the folders stay, because the parent restarts it.
 */
const watchdog = `
socket=$1 temporary=$2
shift 2
over=
exec 3<&0 </dev/null
"$@" 3<&- &
postgres=$!
trap 'over=yes; kill -INT $postgres 2>/dev/null' USR1
trap '' INT HUP
(exec >/dev/null 2>&1; read -r _ <&3; while kill -USR1 $$; do sleep 1; done) &
reader=$!
exec 3<&-
while kill -0 $postgres 2>/dev/null; do wait $postgres; code=$?; done
kill $reader 2>/dev/null
[ -z "$over" ] && exit $code
rm -rf "$socket"
[ -z "$temporary" ] || rm -rf "$temporary"
exit 0
`

/**
 * Stops the PostgreSQL that a killed service left in `cluster`, and waits until it has ended. Usually its watchdog is
 * already stopping it. Call it only as the owner of DATA_DIR. If the pid now belongs to another program, for example
 * after the restart of a container, leaves that program running and removes the pid file: otherwise, PostgreSQL would
 * refuse to start, because the pid in the file still exists.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (!pid) return
  while (await isPostgres(pid, cluster)) {
    process.kill(pid, 'SIGINT')
    await delay(50)
  }
  if (isAlive(pid)) await rm(file, { force: true })
}

async function isPostgres(pid: number, cluster: string): Promise<boolean> {
  const command = await readCommand(pid)
  return command.includes('postgres') && command.includes(cluster)
}

/** Reads the command line of a process. Returns '' if it doesn't exist. */
async function readCommand(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (process.platform === 'win32') return isAlive(pid) ? 'unknown' : ''
  return run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Returns the environment for PostgreSQL's programs: without Outdial's secrets, and without PG… variables that would
 * redirect them. On macOS, the postmaster dies without LC_ALL.
 */
export function postgresEnvironment(): Record<string, string> {
  const passed = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), LC_ALL: 'C' }
}
