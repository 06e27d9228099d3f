import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { openBarePool } from './bare-pool.ts'
import { serve } from './serve.ts'

/** A bare Fastify route with the query of `GET /agents/`, prepared. It checks no credentials and validates nothing. */
const pool = await openBarePool(20)
const workspaceId = Number(process.env.BENCH_WORKSPACE_ID)
const app = Fastify()
app.get('/agents/', async () => {
  const { rows } = await pool.query<object>({
    name: 'agents',
    text: `select id, name, language, variables from agent
      where workspace_id = $1 and status = 'live' order by id limit $2 offset $3`,
    values: [workspaceId, 51, 0],
  })
  return { results: rows.slice(0, 50), next: rows.length > 50 ? '/agents/?offset=50' : null, previous: null }
})
await app.listen({ host: '127.0.0.1', port: 0 })
serve({
  port: (app.server.address() as AddressInfo).port,
  stop: async () => {
    await app.close()
    await pool.end()
  },
})
