import type { Logger } from 'pino'
import type { ModelClient } from './calling/conversation/model/model-client.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import type { Clock } from './platform/core/clock.ts'
import { secondMs } from './platform/core/durations.ts'
import { describeError } from './platform/core/errors.ts'
import { noNotify, type Notify } from './platform/core/notify.ts'
import { connect, startupTimeouts } from './platform/db/connect.ts'
import { createDatabaseClock } from './platform/db/database-clock.ts'
import { migrate } from './platform/db/migrate.ts'
import { openDatabase } from './platform/db/open-database.ts'
import { roles } from './platform/db/roles.ts'
import type { Db } from './platform/db/schema.ts'
import { startSessionChecks, watchSessions } from './platform/db/session-watch.ts'
import { repeatAfterOutage } from './platform/db/wait-for-database.ts'
import { readReplicaTimeouts } from './platform/replicas/read-replica.ts'
import { createLoneReplica } from './platform/replicas/replicas.ts'
import { loadAttemptTokenKey } from './platform/secrets/attempt-tokens.ts'
import { openRuntimeSecrets } from './platform/secrets/runtime-secrets.ts'
import { openRuntimeSigningKeys } from './platform/secrets/runtime-signing-keys.ts'
import { createSecretBox, type SecretBox } from './platform/secrets/secret-box.ts'
import type { SecretSource } from './platform/secrets/secret-file.ts'
import { checkSecretKeys, loadSecretKeys } from './platform/secrets/secret-keys.ts'
import { loadDoNotCallKey } from './queue/calls/do-not-call-key.ts'
import { createMetrics, type Metrics } from './service/metrics/metrics.ts'

interface OpenedDeps {
  deps: Deps
  /** Set only for a service with DATABASE_READ_URL that handles requests. */
  replicaDb: Db | undefined
  /** The runtime secrets. Undefined for a command, which doesn't use them. */
  runtimeSecrets: SecretSource | undefined
  /** Undefined for a command. */
  runtimeSigningKeys: SecretSource | undefined
  /** Set only with the embedded database. */
  dataDir: string | undefined
  /** Does a step of the startup, and repeats the step if the database became unavailable during it. */
  repeatAfterOutage: <Result>(step: () => Promise<Result>) => Promise<Result>
  /** Closes the connection pools, and stops the embedded database if it was started here. */
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
  metrics?: Metrics
  /** Milliseconds to wait for a database that isn't available yet. */
  databaseTimeoutMs?: number
  /** Called while PostgreSQL starts, or with DATABASE_URL, before the first connection. */
  onWaiting?: () => void
}): Promise<OpenedDeps> {
  const {
    config,
    log,
    purpose,
    notify = noNotify,
    metrics = createMetrics(),
    databaseTimeoutMs = 30 * secondMs,
    onWaiting,
  } = options
  const database = await openDatabase({ config, purpose, log, timeoutMs: databaseTimeoutMs, onWaiting })
  const repeat = <Result>(step: () => Promise<Result>) =>
    repeatAfterOutage({ url: database.url, timeoutMs: databaseTimeoutMs, log }, step)
  try {
    await repeat(() => migrate(database.url, log))
    const secretBox = createSecretBox(await loadSecretKeys(config, database.dataDir))
    const runtimeSecrets =
      purpose === 'service' ? await openRuntimeSecrets(config, database.dataDir, log) : undefined
    const runtimeSigningKeys = purpose === 'service' ? await openRuntimeSigningKeys(config, log) : undefined
    const { attemptTokenKey, doNotCallKey } = await repeat(() => loadStoredKeys(database.url, secretBox))
    const onMixed = (failure: Error) => log.fatal({ reason: failure.message }, "the database can't be used")
    const sessions = watchSessions(database.url, onMixed)
    const db = connect({
      url: database.url,
      role: roles.service,
      sessions,
      max: config.databaseConnections,
      doNotCallKey,
      onError: (error) => log.warn({ reason: error.message }, 'lost a database connection'),
    })
    const { databaseReadUrl } = config
    const usesReplica = purpose === 'service' && config.role !== 'worker' && databaseReadUrl !== undefined
    const replicaSessions = usesReplica
      ? watchSessions(databaseReadUrl, (failure) =>
          log.error(
            { reason: failure.message },
            "the read replica can't be used, so lists and exports are read from the database",
          ),
        )
      : undefined
    const replicaDb = usesReplica
      ? connect({
          url: databaseReadUrl,
          sessions: replicaSessions,
          role: roles.service,
          max: config.databaseConnections,
          doNotCallKey,
          isReadOnly: true,
          timeouts: readReplicaTimeouts,
          onError: (error) => log.debug({ reason: error.message }, 'lost a connection to the read replica'),
        })
      : undefined
    const clock = createDatabaseClock(db)
    // Errors are logged only at `debug`: the statements that an outage affects report the outage, and the clock continues
    // without the database.
    const synchronizing = clock.keepSynchronized((error) =>
      log.debug({ error: describeError(error) }, "failed to read the database's clock"),
    )
    // An embedded database has no connection pooler, and a command ends soon, so their sessions aren't checked.
    const watches = [database.dataDir === undefined ? sessions : undefined, replicaSessions]
    const sessionChecks =
      purpose === 'service'
        ? startSessionChecks(
            clock,
            log,
            watches.filter((watch) => watch !== undefined),
          )
        : undefined
    const disconnect = async () => {
      await sessionChecks?.stop()
      await synchronizing.stop()
      await replicaDb?.destroy()
      await db.destroy()
    }
    const openModel = async () => {
      await repeat(() => clock.synchronize())
      return purpose === 'service' ? openModelOf(config, { log, clock, db }) : undefined
    }
    const model = await openModel().catch(async (error: unknown) => {
      await disconnect()
      throw error
    })
    const close = async () => {
      await model?.close()
      await disconnect()
      await database.close()
    }
    const deps = {
      config,
      runtimeSecrets: () => runtimeSecrets?.list() ?? [],
      runtimeSigningKeys: () => runtimeSigningKeys?.list() ?? [],
      attemptTokenKey,
      db,
      readReplica: undefined,
      clock,
      random: Math.random,
      log,
      secretBox,
      notify,
      metrics,
      model,
      replicas: createLoneReplica(),
    }
    const { dataDir } = database
    return { deps, replicaDb, runtimeSecrets, runtimeSigningKeys, dataDir, repeatAfterOutage: repeat, close }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the client for language models, if any are configured. */
async function openModelOf(
  { llm }: Pick<Config, 'llm'>,
  deps: { log: Logger; clock: Clock; db: Db },
): Promise<ModelClient | undefined> {
  if (llm === undefined) return undefined
  // Imported only here, because most installations have no language model.
  const { openModelClient } = await import('./calling/conversation/model/model-client.ts')
  const { shareModelHealth } = await import('./calling/conversation/model/shared-health.ts')
  return openModelClient({ ...deps, health: shareModelHealth(deps) }, llm)
}

/** Checks SECRET_KEY, and loads or creates the keys in the database. Uses a separate connection. */
async function loadStoredKeys(
  url: string,
  secretBox: SecretBox,
): Promise<{ attemptTokenKey: Buffer; doNotCallKey: Buffer }> {
  const db = connect({ url, role: roles.service, max: 1, timeouts: startupTimeouts })
  try {
    await checkSecretKeys({ db, secretBox })
    return {
      attemptTokenKey: await loadAttemptTokenKey({ db, secretBox }),
      doNotCallKey: await loadDoNotCallKey({ db, secretBox }),
    }
  } finally {
    await db.destroy()
  }
}
