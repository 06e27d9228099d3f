import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { secondMs } from '../../core/durations.ts'
import { describeError } from '../../core/errors.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { type DataDir, prepareDataDir, withDataDirErrors } from './data-dir.ts'
import { claimDataDir, type Owner } from './data-dir-claim.ts'
import { findAccount } from './os-account.ts'
import { type Postmaster, startPostmaster, stopOrphan } from './postmaster.ts'
import { createTemporaryFolder } from './private-folder.ts'
import { type Login, readPassword } from './secure-cluster.ts'
import { type Address, createAddress, removeAddress } from './server-address.ts'

interface EmbeddedOptions {
  /** The value of DATA_DIR. */
  dataDir: string | undefined
  purpose: Owner['purpose']
  /**
   * Starts a database for tests: no fsync, and a data folder in TMPDIR that is removed at the end, even if this process
   * is killed.
   */
  temporary?: boolean
  log: Logger
  /** Called when PostgreSQL's program has started, also after a restart. */
  onSpawn?: () => void
}

/** A PostgreSQL server that runs until it's stopped or this process ends. */
interface Embedded {
  url: string
  /** The real path of DATA_DIR. */
  dataDir: string
  stop: () => Promise<void>
}

/**
 * Starts PostgreSQL with the data in DATA_DIR.
 *
 * @throws {ConfigError} if DATA_DIR can't be used
 * @throws {DataDirInUseError} if another process uses it
 * @throws {StartupError} if PostgreSQL can't run on this machine
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const temporary = options.temporary
    ? await createTemporaryFolder('outdial-test-', findAccount(undefined, options.log), tmpdir())
    : undefined
  const dataDir = await prepareDataDir(temporary ?? options.dataDir, options.log)
  const binaries = await findBinaries(dataDir.account)
  const login: Login = {
    role: options.temporary ? 'postgres' : 'outdial',
    password: await withDataDirErrors(dataDir.path, () => readPassword(dataDir)),
  }
  const address = await createAddress(dataDir, login)
  try {
    return await withDataDirErrors(dataDir.path, () =>
      startServer(options, dataDir, binaries, login, address),
    )
  } catch (error) {
    await address.remove()
    throw error
  }
}

async function startServer(
  { purpose, temporary = false, log, onSpawn }: EmbeddedOptions,
  dataDir: DataDir,
  binaries: Binaries,
  login: Login,
  address: Address,
): Promise<Embedded> {
  const { path, cluster, account } = dataDir
  const owner = { pid: process.pid, purpose, socket: address.ownerSocket, url: address.url }
  const dataDirClaim = await claimDataDir(path, owner)
  const start = async () => {
    await stopOrphan(cluster)
    return startPostmaster({
      postgres: binaries.postgres,
      account,
      cluster,
      socketFolder: address.folder,
      temporaryFolder: temporary ? path : undefined,
      settings: [
        ...postgresSettings,
        ...address.settings,
        ...(temporary ? ['fsync=off', 'full_page_writes=off', 'max_connections=300'] : []),
      ],
      onLine: (line) => log.debug({ postgres: line }),
      onSpawn,
    })
  }
  try {
    await stopOrphan(cluster)
    if (dataDirClaim.previous) await removeAddress(dataDirClaim.previous.socket)
    await prepareCluster(dataDir, binaries, { login, sync: !temporary })
    const running = await startWithRestarts(start, log)
    const stop = async () => {
      await running.stop()
      await dataDirClaim.release()
      await address.remove()
    }
    return { url: address.url, dataDir: path, stop }
  } catch (error) {
    await dataDirClaim.release()
    throw error
  }
}

/**
 * Starts PostgreSQL, and restarts it when it ends without being stopped, for example when it's killed because memory
 * ran out. Meanwhile, the service responds with 503. Only the first start throws.
 */
async function startWithRestarts(
  start: () => Promise<Postmaster>,
  log: Logger,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  let current = await start()

  const restart = async (): Promise<void> => {
    while (!stopped()) {
      try {
        current = await start()
        return
      } catch (error) {
        log.error({ error: describeError(error) }, 'failed to start embedded PostgreSQL; retrying')
        await delay(secondMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const watch = async () => {
    while (!stopped()) {
      await current.ended
      if (stopped()) return
      log.error('embedded PostgreSQL ended; restarting it')
      await restart()
    }
  }
  const watchPromise = watch()

  return {
    stop: async () => {
      stopping.abort()
      await current.stop()
      await watchPromise
      await current.stop()
    },
  }
}

const postgresSettings = [
  'timezone=UTC',
  // PostgreSQL's log goes to Outdial's log, which must not contain phone numbers: no statements, no values.
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
]
