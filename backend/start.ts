import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Config, parseConfig } from './config.ts'
import type { Deps } from './deps.ts'
import { createLog } from './log.ts'
import { openDeps } from './open-deps.ts'
import { secondMs } from './platform/core/durations.ts'
import { errorCode, StartupError } from './platform/core/errors.ts'
import { createNotifier, type Notifier } from './platform/core/notify.ts'
import { findFreePort } from './platform/db/embedded/server-address.ts'
import type { Db } from './platform/db/schema.ts'
import { newProcessState } from './platform/http/health.ts'
import { startReadReplica } from './platform/replicas/read-replica.ts'
import { startReplicaCheck } from './platform/replicas/replica-check.ts'
import { shareNotifications } from './platform/replicas/share-notifications.ts'
import type { DemoFile } from './service/demo/demo-file.ts'
import { createMetrics, type Metrics } from './service/metrics/metrics.ts'

export interface Service {
  config: Config
  log: Logger
  metrics: Metrics
  /** Set only with the embedded database. */
  dataDir: string | undefined
  /** The content of demo.json. Undefined without the embedded database, or if the file was removed before startup. */
  demo: DemoFile | undefined
  /**
   * Stops the workers, then the server, then the database. At each step, work in progress gets about ten seconds to finish.
   *
   * @param options.delay keeps the server open for at least SHUTDOWN_DELAY_SECONDS, while `/readyz` already fails
   */
  stop: (options?: { delay?: boolean }) => Promise<void>
}

/** How long calls and deliveries in progress may take to finish when the service stops. */
const stopTimeoutMs = 10 * secondMs

/**
 * Starts the service in this process: the server, the workers, or both, depending on ROLE. With PORT=0, it finds a free
 * port and sets it in `config`.
 *
 * @throws {ConfigError | StartupError} with a message for the person who starts it
 */
export async function startService(
  environment: Record<string, string | undefined>,
  options: { databaseTimeoutMs?: number } = {},
): Promise<Service> {
  const config = await resolvePort(environment)
  const log = await createLog(config.logLevel)
  const notifier = createNotifier()
  const metrics = createMetrics()
  notifier.connect(metrics.listener)
  const opened = await openDeps({
    ...{ config, log, purpose: 'service', notify: notifier.notify, metrics },
    ...options,
    // Loads the parts of the service while PostgreSQL starts in another process. Importing blocks this process, so loading
    // them earlier would delay the start of PostgreSQL.
    onWaiting: () => void loadParts(),
  })
  const { dataDir, repeatAfterOutage, replicaDb } = opened
  const connected = await connectToReplicas(opened.deps, notifier)
  // With an embedded database, there are no other processes to notify.
  const shared = dataDir === undefined ? notifyOthers(connected) : undefined
  const otherWorkers = shared?.otherWorkers ?? (() => 0)
  const notifying = shared?.deps ?? connected
  const deps = replicaDb === undefined ? notifying : addReadReplica(notifying, replicaDb)
  const close = async () => {
    await shared?.close()
    await deps.readReplica?.stop()
    await deps.replicas.close()
    await opened.close()
  }
  const state = newProcessState()
  if (shared !== undefined) state.lacksModel = shared.lacksModel
  try {
    const { createApp, createMonitoringApp, createToolServer, prepareDemo, startWorkers } = await loadParts()
    const demo = dataDir === undefined ? undefined : await repeatAfterOutage(() => prepareDemo(deps, dataDir))
    const tools = config.role === 'worker' ? undefined : createToolServer(deps)
    if (tools) notifier.connect(tools)
    // This step is repeated after an outage, because it loads or creates the keys of the OAuth server in the database.
    const app = tools && (await repeatAfterOutage(() => createApp(deps, tools, state)))
    if (app) await listen(app, config)
    const monitoring = await startMonitoring(deps, () => createMonitoringApp(deps, state))
    const workers = config.role === 'api' ? [] : startWorkers(deps, notifier, otherWorkers)
    state.loops = workers.flatMap(({ loops }) => loops)
    const secretsWatch = opened.runtimeSecrets?.watch(() => tools?.secretsChanged())
    const keysWatch = opened.runtimeSigningKeys?.watch(() => {})
    const stop = async ({ delay = false } = {}) => {
      secretsWatch?.stop()
      keysWatch?.stop()
      state.isStopping = true
      const delayed = deps.clock.wait(delay ? config.shutdownDelaySeconds * secondMs : 0)
      // Workers stop first, because agents on calls that are still in progress use their tools through this server.
      await Promise.all(workers.map((worker) => worker.stop(stopTimeoutMs)))
      await delayed
      await app?.close()
      await monitoring?.close()
      await close()
    }
    return { config, log, metrics, dataDir, demo, stop }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Loads the code that needs an open database. Loading it takes longer than starting PostgreSQL. Node imports a file only
 * once, so a second call waits for the first.
 */
const loadParts = async () => ({
  ...(await import('./app.ts')),
  ...(await import('./service/demo/prepare-demo.ts')),
  ...(await import('./tools/mcp/tool-server.ts')),
  ...(await import('./workers.ts')),
})

/** Connects the dependencies with the other processes of the installation, if REDIS_URL is set. */
async function connectToReplicas(deps: Deps, notifier: Notifier): Promise<Deps> {
  const { redisUrl } = deps.config
  if (redisUrl === undefined) return deps
  // Imported only here, because most installations have no Redis, and its client is large.
  const { connectReplicas } = await import('./platform/replicas/connect-replicas.ts')
  const replicas = await connectReplicas(deps, redisUrl)
  return { ...deps, replicas, notify: replicas.share(notifier.notify) }
}

/** Returns dependencies whose `notify` also notifies the workers of other processes. */
function notifyOthers(deps: Deps): {
  deps: Deps
  otherWorkers: () => number
  lacksModel: () => boolean
  close: () => Promise<void>
} {
  const replicaCheck = startReplicaCheck(deps)
  const { otherWorkers, lacksModel } = replicaCheck
  const { notify, close } = shareNotifications(deps, deps.notify, otherWorkers)
  return {
    deps: { ...deps, notify },
    otherWorkers,
    lacksModel,
    close: async () => {
      await close()
      await replicaCheck.stop()
    },
  }
}

/** Adds the read replica. `deps.replicas` must already have the final ID of this process, which the replica's checks use. */
const addReadReplica = (deps: Deps, replicaDb: Db): Deps => ({
  ...deps,
  readReplica: startReadReplica(deps, replicaDb),
})

/** Parses the settings, and finds a free port for PORT=0: the OAuth issuer and links need it before the server listens. */
async function resolvePort(environment: Record<string, string | undefined>): Promise<Config> {
  const config = parseConfig(environment)
  if (config.port !== 0) return config
  const port = await findFreePort(config.host).catch((error: unknown) => {
    throw toStartupError(error, config)
  })
  return parseConfig({ ...environment, PORT: String(port) })
}

/** Starts the server for a worker's health checks and metrics, if WORKER_PORT is set. */
async function startMonitoring(
  { config: { host, workerPort: port } }: Deps,
  create: () => FastifyInstance,
): Promise<FastifyInstance | undefined> {
  if (port === undefined) return undefined
  const app = create()
  await listen(app, { host, port })
  return app
}

type Address = Pick<Config, 'host' | 'port'>

async function listen(app: FastifyInstance, { host, port }: Address): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw toStartupError(error, { host, port })
  }
}

function toStartupError(error: unknown, { host, port }: Address): unknown {
  const formatMessage = listenErrorMessages[errorCode(error)]
  return formatMessage === undefined ? error : new StartupError(formatMessage(host, port), { cause: error })
}

const listenErrorMessages: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use. Stop the process that uses it, or set PORT to another port.`,
  EACCES: (_, port) => `This user can't listen on port ${port}. Set PORT to 1024 or higher.`,
  EADDRNOTAVAIL: (host) =>
    `HOST ${host} isn't an address of this machine. Set HOST to one, or to 0.0.0.0 for all addresses.`,
  ENOTFOUND: (host) =>
    `HOST ${host} isn't an address of this machine. Set HOST to one, or to 0.0.0.0 for all addresses.`,
}
