import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findBinaries } from '../backend/platform/db/embedded/binaries.ts'
import { prepareCluster } from '../backend/platform/db/embedded/cluster.ts'
import { findAccount } from '../backend/platform/db/embedded/os-account.ts'
import { type Postmaster, startPostmaster } from '../backend/platform/db/embedded/postmaster.ts'
import { createTemporaryFolder } from '../backend/platform/db/embedded/private-folder.ts'
import { findFreePort } from '../backend/platform/db/embedded/server-address.ts'

/** A PostgreSQL server that writes to the disk as in production, so that its data survives when it's killed. */
export interface CrashDatabase {
  port: number
  url: (port?: number) => string
  /** Kills the server, waits for `downMs`, and starts it again. Resolves when it accepts connections. */
  killAndRestart(downMs: number): Promise<void>
  /** Stops the server and deletes its files. */
  stop(): Promise<void>
}

/** Creates an empty database in the operating system's temporary folder, and starts it. */
export async function createDatabase(): Promise<CrashDatabase> {
  const account = findAccount(undefined, { warn: () => {} })
  const folder = await createTemporaryFolder('outdial-crash-test-', account, tmpdir())
  const cluster = path.join(folder, 'postgres')
  const binaries = await findBinaries(account)
  // Like an installation's role, this one isn't a superuser.
  const login = { role: 'outdial', password: randomUUID() } as const
  await prepareCluster({ path: folder, cluster, account }, binaries, { login, sync: true })
  const port = await findFreePort('127.0.0.1')
  const start = () =>
    startPostmaster({
      postgres: binaries.postgres,
      account,
      cluster,
      socketFolder: path.join(folder, 'socket'),
      temporaryFolder: folder,
      settings: [
        ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'timezone=UTC'],
        // More than usual, because sessions behind a black hole stay open for a while.
        'max_connections=400',
      ],
      onLine: () => {},
    })
  let postmaster = await start()

  return {
    port,
    url: (proxyPort = port) => `postgres://${login.role}:${login.password}@127.0.0.1:${proxyPort}/postgres`,
    killAndRestart: async (downMs) => {
      const pid = Number((await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0])
      process.kill(pid, 'SIGKILL')
      await postmaster.ended
      await delay(downMs)
      postmaster = await startAfterOrphans(start)
    },
    stop: () => postmaster.stop(),
  }
}

/** Starts the server, if necessary several times: it can't start before all processes of the killed server have ended. */
async function startAfterOrphans(start: () => Promise<Postmaster>): Promise<Postmaster> {
  const deadline = performance.now() + 60_000
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(100)
    }
  }
}
