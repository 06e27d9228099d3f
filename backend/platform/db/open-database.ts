import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { DataDirInUseError, type Owner } from './embedded/data-dir-claim.ts'
import { startEmbedded } from './embedded/start-embedded.ts'
import { waitForDatabase } from './wait-for-database.ts'

interface OpenedDatabase {
  url: string
  /** The folder of the data and keys. Set only with the embedded database. */
  dataDir: string | undefined
  close: () => Promise<void>
}

interface OpenOptions {
  config: Config
  /** A command uses the database of a running service; a second service is rejected. */
  purpose: Owner['purpose']
  log: Logger
  /** Milliseconds to wait for a server that doesn't respond yet, or for another command to end. */
  timeoutMs: number
  /** Called when the only remaining step is to wait for PostgreSQL. */
  onWaiting?: () => void
}

/**
 * Opens the server in DATABASE_URL, or an embedded one in DATA_DIR. Resolves when it accepts connections.
 *
 * @throws {ConfigError | StartupError} with a message for the person who starts the service
 */
export async function openDatabase(options: OpenOptions): Promise<OpenedDatabase> {
  const { databaseUrl } = options.config
  if (databaseUrl === undefined) return openEmbedded(options, Date.now() + options.timeoutMs)
  options.onWaiting?.()
  await waitForDatabase({ url: databaseUrl, timeoutMs: options.timeoutMs, log: options.log })
  return { url: databaseUrl, dataDir: undefined, close: () => Promise.resolve() }
}

async function openEmbedded(options: OpenOptions, deadline: number): Promise<OpenedDatabase> {
  const { config, purpose, log, timeoutMs, onWaiting } = options
  try {
    const { url, dataDir, stop } = await startEmbedded({
      ...{ dataDir: config.dataDir, purpose, log },
      onSpawn: onWaiting,
    })
    return { url, dataDir, close: stop }
  } catch (error) {
    if (!(error instanceof DataDirInUseError) || purpose === 'service') throw error
    if (error.owner.purpose === 'command') {
      if (Date.now() >= deadline) throw error
      await delay(100)
      return openEmbedded(options, deadline)
    }
    const { dataDir, owner } = error
    await waitForDatabase({ url: owner.url, timeoutMs, log })
    return { url: owner.url, dataDir, close: () => Promise.resolve() }
  }
}
