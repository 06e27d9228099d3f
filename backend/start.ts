import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { type Config, parseConfig } from './config.ts'
import { startImporter } from './contacts/import/importer.ts'
import { secondMs } from './core/durations.ts'
import { errorCode, StartupError } from './core/errors.ts'
import { createNotifier, type Notifier } from './core/notify.ts'
import type { Worker } from './core/worker.ts'
import { findFreePort } from './db/embedded/server-address.ts'
import type { DemoFile } from './demo/demo-file.ts'
import { prepareDemo } from './demo/prepare-demo.ts'
import type { Deps } from './deps.ts'
import { startDialer } from './dialer/dialer.ts'
import { startSweeper } from './dialer/sweeper.ts'
import { createLog } from './log.ts'
import { createToolServer, type ToolServer } from './mcp/tool-server.ts'
import { openDeps } from './open-deps.ts'
import { startExpirationJob } from './privacy/delete-expired.ts'
import { startRetention } from './privacy/retention.ts'
import { startSender } from './webhooks/sender.ts'

export interface Service {
  config: Config
  log: Logger
  /** Only with the embedded database. */
  dataDir: string | undefined
  /** Only with the embedded database, and while its demo.json is kept. */
  demo: DemoFile | undefined
  /**
   * Takes no more jobs, then no more requests, gives those that run ten seconds each, and closes the
   * database.
   */
  stop: () => Promise<void>
}

/** How long calls and deliveries may take to end when the service stops. */
const stopTimeoutMs = 10 * secondMs

/**
 * The whole service in this process: server, workers or both, as ROLE says. With PORT=0 it finds a free port,
 * which `config` then tells.
 *
 * @throws {ConfigError | StartupError} with a sentence for the person who starts it
 */
export async function startService(
  environment: Record<string, string | undefined>,
  options: { databaseTimeoutMs?: number } = {},
): Promise<Service> {
  const config = await resolvePort(environment)
  const log = await createLog(config.logLevel)
  const notifier = createNotifier()
  const opened = await openDeps({ config, log, purpose: 'service', notify: notifier.notify, ...options })
  const { deps, dataDir, close } = opened
  try {
    const demo = dataDir === undefined ? undefined : await prepareDemo(deps, dataDir)
    const tools = config.role === 'worker' ? undefined : createToolServer(deps)
    if (tools) notifier.connect({ toolsChanged: (change) => tools.toolsChanged(change) })
    const app = tools && (await listen(deps, tools))
    const workers = config.role === 'api' ? [] : startWorkers(deps, notifier)
    const secretsWatch = opened.runtimeSecrets?.watch(() => tools?.secretsChanged())
    const stop = async () => {
      secretsWatch?.stop()
      // The workers first: in the calls that they let end, agents reach their tools through this server.
      await Promise.all(workers.map((worker) => worker.stop(stopTimeoutMs)))
      await app?.close()
      await close()
    }
    return { config, log, dataDir, demo, stop }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The issuer of OAuth2 and the links of pages are built before the server listens: the port must be known.
 */
async function resolvePort(environment: Record<string, string | undefined>): Promise<Config> {
  const config = parseConfig(environment)
  if (config.port !== 0) return config
  const port = await findFreePort(config.host).catch((error: unknown) => {
    throw toStartupError(error, config)
  })
  return parseConfig({ ...environment, PORT: String(port) })
}

function startWorkers(deps: Deps, notifier: Notifier): Pick<Worker, 'stop'>[] {
  const dialer = startDialer(deps)
  const sender = startSender(deps)
  const importer = startImporter(deps)
  notifier.connect({
    callQueued: () => dialer.notify(),
    deliveryQueued: () => sender.notify(),
    importQueued: () => importer.notify(),
  })
  return [dialer, startSweeper(deps), sender, importer, startExpirationJob(deps), startRetention(deps)]
}

async function listen(deps: Deps, tools: ToolServer): Promise<FastifyInstance> {
  const { host, port } = deps.config
  const app = await createApp(deps, tools)
  try {
    await app.listen({ host, port })
    return app
  } catch (error) {
    await app.close()
    throw toStartupError(error, deps.config)
  }
}

function toStartupError(error: unknown, { host, port }: Config): unknown {
  const formatMessage = listenErrorMessages[errorCode(error)]
  return formatMessage === undefined ? error : new StartupError(formatMessage(host, port), { cause: error })
}

const listenErrorMessages: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use: stop what listens there, or set PORT to another.`,
  EACCES: (_, port) => `This user may not listen on port ${port}: set PORT to one from 1024 on.`,
  EADDRNOTAVAIL: (host) =>
    `HOST ${host} is no address of this machine: set it to one, or to 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `HOST ${host} is no address of this machine: set it to one, or to 0.0.0.0 for all.`,
}
