import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { systemClock } from './core/clock.ts'
import { secondMs } from './core/durations.ts'
import { noNotify, type Notify } from './core/notify.ts'
import { connect } from './db/connect.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open-database.ts'
import { repeatAfterOutage } from './db/wait-for-database.ts'
import type { Deps } from './deps.ts'
import { openRuntimeSecrets, type RuntimeSecretSource } from './secrets/runtime-secrets.ts'
import { createSecretBox } from './secrets/secret-box.ts'
import { checkSecretKeys, loadSecretKeys } from './secrets/secret-keys.ts'

interface OpenedDeps {
  deps: Deps
  /** Undefined for a command, which doesn't use them. */
  runtimeSecrets: RuntimeSecretSource | undefined
  /** Only with the embedded database. */
  dataDir: string | undefined
  /** Does a step of the startup, and does it again if the database was unavailable. */
  repeatAfterOutage: <Result>(step: () => Promise<Result>) => Promise<Result>
  /** Closes the pool, and stops the embedded database if it was started here. */
  close: () => Promise<void>
}

/**
 * Opens and migrates the database, loads the keys, and creates the dependencies of the service or a command.
 *
 * @throws {ConfigError | StartupError} with a message for the person who starts it
 */
export async function openDeps(options: {
  config: Config
  log: Logger
  purpose: 'service' | 'command'
  notify?: Notify
  /** Milliseconds to wait for a database that isn't available yet. */
  databaseTimeoutMs?: number
}): Promise<OpenedDeps> {
  const { config, log, purpose, notify = noNotify, databaseTimeoutMs = 30 * secondMs } = options
  const database = await openDatabase({ config, purpose, log, timeoutMs: databaseTimeoutMs })
  const repeat = <Result>(step: () => Promise<Result>) =>
    repeatAfterOutage({ url: database.url, timeoutMs: databaseTimeoutMs, log }, step)
  try {
    await repeat(() => migrate(database.url))
    const keys = await loadSecretKeys(config, database.dataDir)
    const secretBox = createSecretBox(keys)
    const runtimeSecrets =
      purpose === 'service' ? await openRuntimeSecrets(config, database.dataDir, log) : undefined
    const db = connect({
      url: database.url,
      onError: (error) => log.warn({ reason: error.message }, 'lost a database connection'),
    })
    const close = async () => {
      await db.destroy()
      await database.close()
    }
    await repeat(() => checkSecretKeys(db, keys, secretBox, log)).catch(async (error: unknown) => {
      await db.destroy()
      throw error
    })
    const deps = {
      config,
      runtimeSecrets: () => runtimeSecrets?.list() ?? [],
      db,
      clock: systemClock,
      random: Math.random,
      log,
      secretBox,
      notify,
    }
    return { deps, runtimeSecrets, dataDir: database.dataDir, repeatAfterOutage: repeat, close }
  } catch (error) {
    await database.close()
    throw error
  }
}
