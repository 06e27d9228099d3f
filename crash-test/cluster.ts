import { randomBytes } from 'node:crypto'
import { findFreePort } from '../backend/platform/db/embedded/server-address.ts'
import type { CallLog } from './call-log.ts'
import { type CrashDatabase, createDatabase } from './database.ts'
import { FakeRuntime } from './fake-runtime.ts'
import { apiNames, type ProcessName, processNames, workerNames } from './plan.ts'
import { ServiceProcess } from './service-process.ts'
import { UnreliableProxy } from './unreliable-proxy.ts'

export type Telephony = 'simulated' | 'http'

/** A speed at which simulated calls last a few seconds. */
const simulationSpeed = 20

/** The database, and a proxy to it for each process. They run until the crash test ends. */
export interface Infrastructure {
  database: CrashDatabase
  proxies: Record<ProcessName, UnreliableProxy>
  ports: Record<ProcessName, number>
  secrets: Record<'SECRET_KEY' | 'RUNTIME_SECRET' | 'RUNTIME_SIGNING_KEY', string>
  stop: () => Promise<void>
}

export async function createInfrastructure(): Promise<Infrastructure> {
  const database = await createDatabase()
  const proxies = mapNames(() => new UnreliableProxy(database.port))
  const ports = mapNames(() => 0)
  for (const name of processNames) {
    await proxies[name].listen()
    ports[name] = await findFreePort('127.0.0.1')
  }
  const stop = async () => {
    for (const proxy of Object.values(proxies)) proxy.close()
    await database.stop()
  }
  return {
    ...{ database, proxies, ports, stop },
    secrets: {
      SECRET_KEY: randomBytes(32).toString('hex'),
      RUNTIME_SECRET: randomBytes(32).toString('hex'),
      RUNTIME_SIGNING_KEY: `whsec_${randomBytes(32).toString('base64')}`,
    },
  }
}

/** The processes of a round: two with ROLE=api, two with ROLE=worker, and with TELEPHONY=http, the agent runtime. */
export interface Cluster extends Infrastructure {
  telephony: Telephony
  processes: Record<ProcessName, ServiceProcess>
  apiOrigins: string[]
  runtime: FakeRuntime | undefined
  callLog: CallLog
  /** Kills the processes. If the round had no errors, their calls have already ended. */
  stopProcesses: () => Promise<void>
}

export async function startCluster(
  infrastructure: Infrastructure,
  options: { telephony: Telephony; callLog: CallLog; seed: string },
): Promise<Cluster> {
  const { database, proxies, ports, secrets } = infrastructure
  const { telephony, callLog, seed } = options
  const origin = (name: ProcessName) => `http://127.0.0.1:${ports[name]}`
  const apiOrigins = apiNames.map(origin)
  const runtime =
    telephony === 'http' ? new FakeRuntime(callLog, apiOrigins, secrets.RUNTIME_SIGNING_KEY, seed) : undefined
  await runtime?.listen()
  const processes = mapNames((name) => {
    const isWorker = (workerNames as readonly string[]).includes(name)
    const environment = {
      ...secrets,
      DATABASE_URL: database.url(proxies[name].port),
      TELEPHONY: telephony,
      SIMULATION_SPEED: String(simulationSpeed),
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
      RATE_LIMIT_PER_MINUTE: '1000000',
      SHUTDOWN_DELAY_SECONDS: '0',
      INTERNAL_URL: origin('api1'),
      // Simulated calls are only logged at this level.
      LOG_LEVEL: 'debug',
      ...(runtime && { RUNTIME_URL: runtime.url(name) }),
      ...(isWorker
        ? { ROLE: 'worker', WORKER_PORT: String(ports[name]) }
        : { ROLE: 'api', PORT: String(ports[name]) }),
    }
    const ownLog = isWorker && telephony === 'simulated' ? callLog : undefined
    return new ServiceProcess(name, environment, ownLog, origin(name))
  })
  const killAll = () => Object.values(processes).forEach((each) => each.killNow())
  // Kills the processes, because a frozen one wouldn't notice that the crash test was interrupted.
  process.once('exit', killAll)
  for (const each of Object.values(processes)) each.start()
  await Promise.all(Object.values(processes).map(({ ready }) => ready))
  const stopProcesses = async () => {
    await Promise.all(Object.values(processes).map((each) => each.kill()))
    process.off('exit', killAll)
    runtime?.close()
  }
  return { ...infrastructure, telephony, processes, apiOrigins, runtime, callLog, stopProcesses }
}

const mapNames = <Value>(create: (name: ProcessName) => Value): Record<ProcessName, Value> =>
  Object.fromEntries(processNames.map((name) => [name, create(name)])) as Record<ProcessName, Value>
