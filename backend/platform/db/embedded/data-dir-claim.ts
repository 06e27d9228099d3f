import { mkdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import path from 'node:path'
import * as z from 'zod'
import { secondMs } from '../../core/durations.ts'
import { errorCode, StartupError } from '../../core/errors.ts'
import { replaceFile } from '../../core/replace-file.ts'

/** `owner.json` in DATA_DIR: the process that has the database open, and how to reach the process and the database. */
const Owner = z.object({
  pid: z.number(),
  purpose: z.enum(['service', 'command']),
  /** A socket that the owner listens on while it runs. `pid` isn't enough, because it can belong to another process later. */
  socket: z.string(),
  url: z.string(),
})
export type Owner = z.infer<typeof Owner>

interface Claim {
  /** The previous owner, if it died without releasing its claim. */
  previous: Owner | undefined
  release: () => Promise<void>
}

/** Another process has the database of this DATA_DIR open. */
export class DataDirInUseError extends StartupError {
  override name = 'DataDirInUseError'
  readonly dataDir: string
  readonly owner: Owner

  constructor(dataDir: string, owner: Owner) {
    const description =
      owner.purpose === 'service' ? 'Outdial is already running' : 'an admin command is running'
    super(
      `DATA_DIR ${dataDir} is in use: ${description} there (process ${owner.pid}). Stop it, or set another DATA_DIR and PORT.`,
    )
    this.dataDir = dataDir
    this.owner = owner
  }
}

/**
 * Makes this process the only owner of DATA_DIR until it releases the claim or dies.
 *
 * @throws {DataDirInUseError} if another running process has claimed it
 */
export async function claimDataDir(dataDir: string, owner: Owner): Promise<Claim> {
  const listening = await listen(owner.socket)
  const file = path.join(dataDir, 'owner.json')
  let previous: Owner | undefined
  try {
    await withLockFolder(path.join(dataDir, 'claiming'), async () => {
      previous = await readOwner(file)
      if (previous && (await isListening(previous.socket))) throw new DataDirInUseError(dataDir, previous)
      await replaceFile(file, JSON.stringify(owner))
    })
  } catch (error) {
    listening.close()
    throw error
  }
  return {
    previous,
    release: async () => {
      await rm(file, { force: true })
      listening.close()
    },
  }
}

async function readOwner(file: string): Promise<Owner | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  return Owner.safeParse(text === undefined ? undefined : parseJson(text)).data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a full disk or a power failure has cut the file short
  }
}

const isListening = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const client = connect(socket)
    client.once('connect', () => resolve(true)).once('error', () => resolve(false))
    client.once('connect', () => client.destroy())
  })

const listen = (socket: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((client) => client.destroy())
    server.once('error', reject).listen(socket, () => resolve(server.unref()))
  })

/** Runs `work`, which takes a few milliseconds, while no other process runs it. Only one process can create the lock folder. */
async function withLockFolder(lock: string, work: () => Promise<void>): Promise<void> {
  while (!(await tryCreateFolder(lock))) {
    const stats = await stat(lock).catch(() => undefined)
    if (stats && Date.now() - stats.mtimeMs > 5 * secondMs) await rmdir(lock).catch(() => undefined) // its creator died
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  try {
    await work()
  } finally {
    await rmdir(lock)
  }
}

const tryCreateFolder = (lock: string): Promise<boolean> =>
  mkdir(lock).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'EEXIST') return false
      throw error
    },
  )
