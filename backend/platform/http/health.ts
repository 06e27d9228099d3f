import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { isStalled, type Loop } from '../core/loop.ts'
import { limitCheck } from '../db/outage.ts'
import type { OverloadState } from './overload.ts'

/** The state of the process, for its health checks. `start.ts` changes it. */
export interface ProcessState {
  /** The process stops soon, so load balancers must send requests elsewhere. */
  isStopping: boolean
  /** The loops of the workers that run in this process. */
  loops: readonly Loop[]
  /** Returns true if this process is a worker without a language model, although another process has one. */
  lacksModel: () => boolean
}

export const newProcessState = (): ProcessState => ({ isStopping: false, loops: [], lacksModel: () => false })

/**
 * Mounts `/healthz` (the process runs) and `/readyz` (it can use its database, its loops run, it doesn't lack a language
 * model, and it isn't stopping). The body of `/readyz` names an overload, but the check still passes: otherwise, an
 * attacker who overloads the processes would make the load balancer remove all of them.
 */
export function mountHealth(
  app: FastifyInstance,
  { db }: Pick<Deps, 'db'>,
  state: Readonly<ProcessState>,
  overload?: OverloadState,
): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    if (state.isStopping) return reply.code(503).send({ status: 'stopping' })
    const stalled = state.loops.filter(isStalled).map(({ name }) => name)
    if (stalled.length > 0) return reply.code(503).send({ status: 'stalled', loops: stalled })
    if (state.lacksModel()) return reply.code(503).send({ status: 'no_model' })
    await limitCheck(sql`select 1`.execute(db))
    const overloads = overload?.current() ?? []
    return { status: 'ok', ...(overloads.length > 0 && { overload: overloads }) }
  })
  // Clients that keep their connections open don't notice that a load balancer sends requests elsewhere.
  app.addHook('onRequest', async (_request, reply) => {
    if (state.isStopping) void reply.header('Connection', 'close')
  })
}
