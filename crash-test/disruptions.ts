import { setTimeout as delay } from 'node:timers/promises'
import type { PhoneCall } from './call-log.ts'
import type { Cluster } from './cluster.ts'
import type { Disruption, ProcessName } from './plan.ts'

/** A record of a round's disruptions. Times are those of `performance.now()`. */
export interface DisruptionLog {
  /** The number of disruptions by kind. Kills are also counted by target. */
  counts: Record<string, number>
  /** The number of disruptions that were left out, because their target only ran again after the phase had ended. */
  skipped: number
  workerKills: { process: ProcessName; at: number; calls: PhoneCall[] }[]
  apiKills: { process: ProcessName; at: number }[]
  /** The times when the database accepted connections again. */
  databaseReturns: number[]
  /** The times when frozen workers continued. */
  thaws: { process: ProcessName; at: number }[]
}

/** How long a disruption waits for a process that starts. After that, it disrupts the start. */
const maxStartMs = 3_000

/** How long a process can be frozen before the leases of its call attempts are at risk of expiring. */
const leaseAtRiskMs = 20_000

/**
 * Carries out the planned disruptions. Those of the same target follow one another, and those of different targets overlap.
 * Resolves when all have ended and every process runs again.
 */
export async function runDisruptions(
  cluster: Cluster,
  disruptions: readonly Disruption[],
  endMs: number,
): Promise<DisruptionLog> {
  const log: DisruptionLog = {
    ...{ counts: {}, skipped: 0 },
    ...{ workerKills: [], apiKills: [], databaseReturns: [], thaws: [] },
  }
  const startedAt = performance.now()
  const queues = new Map<string, Promise<void>>()
  for (const disruption of disruptions) {
    const target = `${isProxyDisruption(disruption) ? 'proxy of ' : ''}${disruption.target}`
    const queue = (queues.get(target) ?? Promise.resolve()).then(async () => {
      await delay(Math.max(0, startedAt + disruption.atMs - performance.now()))
      if (disruption.target !== 'database')
        await Promise.race([cluster.processes[disruption.target].ready, delay(maxStartMs)])
      if (performance.now() > startedAt + endMs) {
        log.skipped += 1
        return
      }
      const kind =
        disruption.kind === 'kill' ? `kill ${disruption.target.replace(/\d$/, '')}` : disruption.kind
      log.counts[kind] = (log.counts[kind] ?? 0) + 1
      await carryOut(cluster, disruption, log)
    })
    queues.set(target, queue)
  }
  await Promise.all(queues.values())
  await delay(Math.max(0, startedAt + endMs - performance.now()))
  for (const proxy of Object.values(cluster.proxies)) proxy.heal()
  await Promise.all(Object.values(cluster.processes).map((process) => process.ready))
  return log
}

const isProxyDisruption = ({ kind }: Disruption): boolean => kind !== 'kill' && kind !== 'freeze'

async function carryOut(cluster: Cluster, disruption: Disruption, log: DisruptionLog): Promise<void> {
  if (disruption.target === 'database') {
    await cluster.database.killAndRestart(disruption.downMs)
    log.databaseReturns.push(performance.now())
    return
  }
  const process = cluster.processes[disruption.target]
  const proxy = cluster.proxies[disruption.target]
  switch (disruption.kind) {
    case 'kill':
      await killProcess(cluster, disruption.target, disruption.downMs, log)
      return
    case 'freeze': {
      const frozenAt = performance.now()
      process.freeze()
      await delay(disruption.forMs)
      // Simulated calls exist only in the process's memory, so no phone rings while the process is frozen.
      if (cluster.telephony === 'simulated' && performance.now() - frozenAt > leaseAtRiskMs)
        cluster.callLog.endCallsOf(disruption.target, frozenAt)
      process.thaw()
      log.thaws.push({ process: disruption.target, at: performance.now() })
      return
    }
    case 'cut':
      proxy.cut()
      return
    case 'deaf':
      proxy.goDeaf()
      await delay(disruption.forMs)
      proxy.heal()
      return
    case 'stall':
      proxy.stall()
      await delay(disruption.forMs)
      proxy.heal()
      return
    case 'black_hole':
      proxy.openBlackHole()
  }
}

async function killProcess(
  cluster: Cluster,
  target: ProcessName,
  downMs: number,
  log: DisruptionLog,
): Promise<void> {
  const process = cluster.processes[target]
  const calls = cluster.callLog.ongoing(target)
  const at = await process.kill()
  if (target.startsWith('worker')) log.workerKills.push({ process: target, at, calls })
  else log.apiKills.push({ process: target, at })
  await delay(downMs)
  process.start()
}
