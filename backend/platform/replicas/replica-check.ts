import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { startPeriodicJob } from '../core/periodic.ts'
import { deleteReplica, recordReplica } from './replica-store.ts'

const intervalMs = 2 * secondMs

interface ReplicaCheck {
  /** Returns how many other processes with workers were seen lately. */
  otherWorkers: () => number
  stop: () => Promise<void>
}

/**
 * Records this process in the database while it runs. Without REDIS_URL, warns once if another process handles requests,
 * too, within seconds after the second one has started.
 */
export function startReplicaCheck(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'log' | 'replicas'>,
): ReplicaCheck {
  const { db, log, config, replicas } = deps
  let hasWarned = false
  let otherWorkers = 0

  const check = async () => {
    const others = await recordReplica(db, replicas.nodeId, config.role)
    otherWorkers = others.filter((role) => role !== 'api').length
    const handlesRequests = config.role !== 'worker' && others.some((role) => role !== 'worker')
    if (!handlesRequests || replicas.isConnectable || hasWarned) return
    hasWarned = true
    log.warn(
      'Another process with ROLE=api or ROLE=all uses this database, but REDIS_URL is not set. Set it to the same Redis in all processes. ' +
        "Until then: a tool-server message gets a 404 if it reaches a process that doesn't have its session. Each process counts rate limits and sign-in attempts separately. Changes of an agent's tools take up to 30 seconds to reach its sessions in other processes.",
    )
  }
  const job = startPeriodicJob(deps.clock, {
    name: 'replica_check',
    intervalMs,
    work: check,
    onError: (error) => log.debug({ error: describeError(error) }, 'failed to record this process'),
  })

  return {
    otherWorkers: () => otherWorkers,
    stop: async () => {
      await job.stop()
      // If this process doesn't delete its row, another one does.
      await deleteReplica(db, replicas.nodeId).catch((error: unknown) =>
        log.debug({ error: describeError(error) }, 'failed to delete the record of this process'),
      )
    },
  }
}
