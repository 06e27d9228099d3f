import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import type { DataDir } from './data-dir.ts'
import { createTemporaryFolder } from './private-folder.ts'
import type { Login } from './secure-cluster.ts'

/**
 * The address on which the embedded PostgreSQL server and the process that owns DATA_DIR listen, with the PostgreSQL
 * settings for it.
 */
export interface Address {
  url: string
  /** Settings of postgresql.conf, each as `name=value`. */
  settings: string[]
  /** The folder of the sockets. It isn't in DATA_DIR, whose path can be too long for a socket. */
  folder: string
  ownerSocket: string
  remove: () => Promise<void>
}

/**
 * Creates the address of a Unix socket that only PostgreSQL's user and root can reach. Uses TCP only on Windows, where
 * Node can't connect to PostgreSQL in any other way.
 */
export async function createAddress(dataDir: DataDir, login: Login): Promise<Address> {
  const folder = await createTemporaryFolder('outdial-', dataDir.account)
  const remove = () => rm(folder, { recursive: true, force: true })
  if (process.platform === 'win32') return { ...(await createLoopbackAddress(login)), folder, remove }
  return {
    url: `postgres://${login.role}:${login.password}@${encodeURIComponent(folder)}/postgres`,
    settings: ['listen_addresses=', `unix_socket_directories=${folder}`, 'unix_socket_permissions=0700'],
    folder,
    ownerSocket: path.join(folder, 'owner'),
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

async function createLoopbackAddress({ role, password }: Login): Promise<Omit<Address, 'folder' | 'remove'>> {
  const port = await findFreePort('127.0.0.1')
  return {
    url: `postgres://${role}:${password}@127.0.0.1:${port}/postgres`,
    settings: ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='],
    ownerSocket: `\\\\.\\pipe\\outdial-${randomBytes(8).toString('hex')}`,
  }
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
