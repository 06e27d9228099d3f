import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { errorCode } from '../../core/errors.ts'
import type { DataDir } from './data-dir.ts'
import { createTemporaryFolder } from './private-folder.ts'

/**
 * Where the embedded PostgreSQL server and the process that owns DATA_DIR listen, with the PostgreSQL settings for it.
 */
export interface Address {
  url: string
  /** `name=value` of postgresql.conf. */
  settings: string[]
  /** The folder of the sockets. Its path is short, because that of DATA_DIR can be too long for a socket. */
  folder: string
  ownerSocket: string
  /** Only on Windows, where Node can reach PostgreSQL only over TCP. */
  password: string | undefined
  remove: () => Promise<void>
}

/** Creates a Unix socket address that only PostgreSQL's user and root can reach. Doesn't use TCP, except on Windows. */
export async function createAddress(dataDir: DataDir): Promise<Address> {
  const folder = await createTemporaryFolder('outdial-', dataDir.account)
  const remove = () => rm(folder, { recursive: true, force: true })
  if (process.platform === 'win32') return { ...(await createLoopbackAddress(dataDir)), folder, remove }
  return {
    url: `postgres://postgres@${encodeURIComponent(folder)}/postgres`,
    settings: ['listen_addresses=', `unix_socket_directories=${folder}`, 'unix_socket_permissions=0700'],
    folder,
    ownerSocket: path.join(folder, 'owner'),
    password: undefined,
    remove,
  }
}

/**
 * Removes the socket folder of a previous owner that was killed together with its watchdog, which would otherwise have
 * removed it.
 */
export async function removeAddress(ownerSocket: string): Promise<void> {
  const folder = path.dirname(ownerSocket)
  if (/^\/tmp\/outdial-\w+$/.test(folder)) await rm(folder, { recursive: true, force: true })
}

async function createLoopbackAddress(dataDir: DataDir): Promise<Omit<Address, 'folder' | 'remove'>> {
  const port = await findFreePort('127.0.0.1')
  const password = await readOrCreatePassword(path.join(dataDir.path, 'database-password'))
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    settings: ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='],
    ownerSocket: `\\\\.\\pipe\\outdial-${randomBytes(8).toString('hex')}`,
    password,
  }
}

async function readOrCreatePassword(file: string): Promise<string> {
  await writeFile(file, randomBytes(24).toString('hex'), { flag: 'wx', mode: 0o600 }).catch(
    (error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    },
  )
  return readFile(file, 'utf8')
}

/** Finds a port that no process listens on. */
export const findFreePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
