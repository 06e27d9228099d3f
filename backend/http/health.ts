import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'

/** What the process knows about itself. `start.ts` changes it. */
export interface ProcessState {
  /** The process stops soon, so load balancers must send requests elsewhere. */
  isStopping: boolean
}

export const newProcessState = (): ProcessState => ({ isStopping: false })

/** Mounts `/healthz` (the process runs) and `/readyz` (send it requests: it can use its database and isn't stopping). */
export function mountHealth(
  app: FastifyInstance,
  { db }: Pick<Deps, 'db'>,
  state: Readonly<ProcessState>,
): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    if (state.isStopping) return reply.code(503).send({ status: 'stopping' })
    await sql`select 1`.execute(db)
    return { status: 'ok' }
  })
  // Clients that keep their connections open don't notice that a load balancer sends requests elsewhere.
  app.addHook('onRequest', async (_request, reply) => {
    if (state.isStopping) void reply.header('Connection', 'close')
  })
}
