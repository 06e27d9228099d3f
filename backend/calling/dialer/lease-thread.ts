import { type MessagePort, workerData } from 'node:worker_threads'
import { sql } from 'kysely'
import { describeError } from '../../platform/core/errors.ts'
import { connect, type ConnectionOptions } from '../../platform/db/connect.ts'

/**
 * Options of the thread that renews the leases of one worker, on a separate connection, so that a busy main thread doesn't
 * lose its calls. The thread stops renewing if the main thread hasn't run for `maxSilenceMs`: then the calls aren't
 * supervised, and another worker must end them or take them over.
 */
export interface LeaseThreadOptions {
  port: MessagePort
  connection: ConnectionOptions
  workerId: string
  leaseMs: number
  heartbeatMs: number
  /** The value of `process.hrtime.bigint()` when the main thread last ran. */
  mainRanAt: BigInt64Array
  maxSilenceMs: number
}

/** A message from the main thread to the lease thread. */
export type LeaseRequest = { type: 'track' | 'release'; id: string } | { type: 'stop' }

/**
 * A message from the lease thread to the main thread. `requestedAt` is the value of `process.hrtime.bigint()` just before the
 * leases were renewed. Unlike `performance.now()`, this clock is the same in all threads.
 */
export type LeaseMessage =
  | { type: 'ready' }
  | { type: 'renewed'; requestedAt: bigint; renewed: string[]; lost: string[] }
  | { type: 'failed'; error: object }

const { port, connection, workerId, leaseMs, heartbeatMs, mainRanAt, maxSilenceMs } =
  workerData as LeaseThreadOptions
const db = connect({ ...connection, max: 1 })
const tracked = new Set<string>()
let isRenewing = false

const send = (message: LeaseMessage) => port.postMessage(message)

port.on('message', (request: LeaseRequest) => {
  if (request.type === 'track') tracked.add(request.id)
  if (request.type === 'release') tracked.delete(request.id)
  if (request.type === 'stop') void stop()
})

const timer = setInterval(() => void renewAll(), heartbeatMs)

async function renewAll(): Promise<void> {
  const mainSilenceMs = Number(process.hrtime.bigint() - Atomics.load(mainRanAt, 0)) / 1e6
  if (isRenewing || mainSilenceMs > maxSilenceMs) return
  isRenewing = true
  const ids = [...tracked]
  const requestedAt = process.hrtime.bigint()
  try {
    const renewed = ids.length === 0 ? [] : await renewLeases(ids)
    send({ type: 'renewed', requestedAt, renewed, lost: ids.filter((id) => !renewed.includes(id)) })
  } catch (error) {
    send({ type: 'failed', error: describeError(error) }) // The next heartbeat tries again, until the leases are lost.
  } finally {
    isRenewing = false
  }
}

/** Renews the leases that this worker still holds. Returns the IDs of the renewed attempts. */
async function renewLeases(ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update call_attempt set lease_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
    where id in (
      -- Statements that end attempts lock them in the same order, so that two transactions can't deadlock.
      select id from call_attempt
      where id = any(${ids}::uuid[]) and worker_id = ${workerId}::uuid and ended_at is null
      order by campaign_id, id
      for no key update
    )
    returning id`.execute(db)
  return rows.map((row) => row.id)
}

async function stop(): Promise<void> {
  clearInterval(timer)
  await db.destroy()
  port.close()
}

send({ type: 'ready' })
