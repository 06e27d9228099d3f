import type { Deps } from '../../deps.ts'
import { minuteMs, secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { startPeriodicJob } from '../core/periodic.ts'
import { deleteReplica, recordReplica, type ReplicaTraits } from './replica-store.ts'

const intervalMs = 2 * secondMs

interface ReplicaCheck {
  /** Returns how many other processes with workers were seen lately. */
  otherWorkers: () => number
  /** Returns true if this worker has had no language model for two minutes, although another process had one. */
  lacksModel: () => boolean
  stop: () => Promise<void>
}

/** How long a worker may lack a model: processes get new settings one after the other, and the worker can be the last. */
const modelGraceMs = 2 * minuteMs

const cannotChat = "members can't chat with an agent if their request reaches this process."
/** Says what fails in a process without a language model if another process has one. */
const withoutModel: Record<Deps['config']['role'], string> = {
  api: cannotChat,
  all: cannotChat,
  worker: "this worker doesn't analyze chats, and its /readyz fails after two minutes.",
}

/**
 * Records this process in the database while it runs. Without REDIS_URL, warns once if another process handles requests,
 * too, within seconds after the second process has started. Also logs an error once if another process has a language model
 * and this one doesn't.
 */
export function startReplicaCheck(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'log' | 'replicas'>,
): ReplicaCheck {
  const { clock, db, log, config, replicas } = deps
  const hasModel = config.llm !== undefined
  let hasWarned = false
  let hasReportedModel = false
  let otherWorkers = 0
  let withoutModelSince: Date | undefined

  const checkModel = (others: readonly ReplicaTraits[]) => {
    const isWithout = !hasModel && others.some((other) => other.hasModel === true)
    withoutModelSince = isWithout ? (withoutModelSince ?? clock.now()) : undefined
    if (!isWithout || hasReportedModel) return
    hasReportedModel = true
    log.error(
      `Another process that uses this database has a language model, but LLM_URL isn't set in this one. Set the same language models in all processes. Until then, ${withoutModel[config.role]}`,
    )
  }

  const check = async () => {
    const others = await recordReplica(db, replicas.nodeId, { role: config.role, hasModel })
    otherWorkers = others.filter(({ role }) => role !== 'api').length
    checkModel(others)
    const handlesRequests = config.role !== 'worker' && others.some(({ role }) => role !== 'worker')
    if (!handlesRequests || replicas.isConnectable || hasWarned) return
    hasWarned = true
    log.warn(
      'Another process with ROLE=api or ROLE=all uses this database, but REDIS_URL is not set. Set it to the same Redis in all processes. ' +
        "Until then: a tool-server message gets a 404 if it reaches a process that doesn't have its session. Each process counts rate limits and sign-in attempts separately. Changes of an agent's tools take up to 30 seconds to reach its sessions in other processes.",
    )
  }
  const job = startPeriodicJob(clock, {
    name: 'replica_check',
    intervalMs,
    work: check,
    onError: (error) => log.debug({ error: describeError(error) }, 'failed to record this process'),
  })

  return {
    otherWorkers: () => otherWorkers,
    lacksModel: () =>
      config.role === 'worker' &&
      withoutModelSince !== undefined &&
      clock.now().getTime() - withoutModelSince.getTime() >= modelGraceMs,
    stop: async () => {
      await job.stop()
      // If this process doesn't delete its row, another one does.
      await deleteReplica(db, replicas.nodeId).catch((error: unknown) =>
        log.debug({ error: describeError(error) }, 'failed to delete the record of this process'),
      )
    },
  }
}
