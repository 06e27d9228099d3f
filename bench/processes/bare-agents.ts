import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { AgentList } from '@outdial/contract'
import Fastify from 'fastify'
import helmet from 'helmet'
import { Histogram } from 'prom-client'
import { insertRequests, type LoggedRequest } from '../../backend/api/api-log-store.ts'
import { connect } from '../../backend/platform/db/connect.ts'
import { roles } from '../../backend/platform/db/roles.ts'
import { openBarePool } from './bare-pool.ts'
import { serve } from './serve.ts'

/**
 * Serves a bare Fastify route that does what `GET /agents/` does, with one library for each part. It looks up the credential,
 * counts the request, reads under row-level security, checks the response against its schema, sets security headers, measures
 * the time, and logs the request. It has no scopes, slots for requests, shares of workspaces, or filters.
 */
const url = process.env.DATABASE_URL ?? ''
const credentials = await openBarePool(10)
const agents = await openBarePool(10, 'outdial_workspace')
const logDb = connect({ url, role: roles.service, max: 1 })
const seconds = new Histogram({
  name: 'request_seconds',
  help: 'Duration of requests.',
  labelNames: ['status'],
})
const counts = new Map<string, { count: number; endsAt: number }>()
let requests: LoggedRequest[] = []
const writing = setInterval(() => {
  if (requests.length > 0) void insertRequests(logDb, requests)
  requests = []
}, 1_000)

interface Caller {
  workspaceId: number
  userId: number
  apiKeyId: number
}

async function findCaller(authorization = ''): Promise<Caller | undefined> {
  const hash = createHash('sha256').update(authorization.replace('Bearer ', '')).digest()
  const { rows } = await credentials.query<Caller>({
    name: 'credential',
    text: `select workspace_id as "workspaceId", user_id as "userId", api_key_id as "apiKeyId", scopes
      from credential where token_hash = $1 and (expires_at is null or expires_at > now())`,
    values: [hash],
  })
  return rows[0]
}

function count(key: string): number {
  const now = Date.now()
  const found = counts.get(key)
  const window = found !== undefined && found.endsAt > now ? found : { count: 0, endsAt: now + 60_000 }
  window.count += 1
  counts.set(key, window)
  return window.count
}

async function listAgents(workspaceId: number): Promise<unknown> {
  const client = await agents.connect()
  try {
    await client.query(`set outdial.workspace_id = '${workspaceId}'`)
    const { rows } = await client.query<object>({
      name: 'agents',
      text: `select id, name, language, variables, coalesce((
          select "values" -> 'results' from agent_version where agent_id = agent.id and number = agent.version
        ), '[]') as results
        from agent
        where workspace_id = $1 and status = 'live' order by id limit $2 offset $3`,
      values: [workspaceId, 51, 0],
    })
    return AgentList.parse({
      results: rows.slice(0, 50),
      next: rows.length > 50 ? 'http://127.0.0.1/agents/?offset=50' : null,
      previous: null,
    })
  } finally {
    client.release()
  }
}

const setSecurityHeaders = helmet()
const app = Fastify()
app.get('/agents/', async (request, reply) => {
  const startedAt = performance.now()
  setSecurityHeaders(request.raw, reply.raw, () => {})
  const caller = await findCaller(request.headers.authorization)
  if (caller === undefined) return reply.code(401).send()
  const used = [count(`connection ${caller.apiKeyId}`), count(`workspace ${caller.workspaceId}`)]
  void reply.header('RateLimit', `"default";r=${1_000_000 - Math.max(...used)};t=60`)
  const list = await listAgents(caller.workspaceId)
  const durationMs = performance.now() - startedAt
  seconds.observe({ status: '200' }, durationMs / 1_000)
  requests.push(toLogged(caller, request.id, durationMs))
  return list
})

const toLogged = (caller: Caller, id: string, durationMs: number): LoggedRequest => ({
  ...{ workspace_id: caller.workspaceId, user_id: caller.userId, api_key_id: caller.apiKeyId },
  ...{
    at: new Date(),
    duration_ms: Math.round(durationMs),
    request_id: id,
    method: 'GET',
    route: '/agents/',
  },
  ...{ object_id: null, status: 200, error_code: null, fields: [], field_codes: [], idempotency: null },
  ...{ client_id: null, client_version: null, contact_id: null, call_id: null, campaign_id: null },
  subscription_id: null,
})

await app.listen({ host: '127.0.0.1', port: 0 })
serve({
  port: (app.server.address() as AddressInfo).port,
  stop: async () => {
    clearInterval(writing)
    await app.close()
    await Promise.all([credentials.end(), agents.end(), logDb.destroy()])
  },
})
