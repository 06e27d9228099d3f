import { beforeAll, expect, it, jest } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ContactAdded } from '@outdial/contract'
import { sql } from 'kysely'
import pg from 'pg'
import type { Browser } from '../../../support/browser.ts'
import { useClosers } from '../support/closers.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { signIn } from '../support/dashboard.ts'
import { freshNumber, seedUser } from '../support/factories.ts'
import { findFixedPort } from '../support/fixed-port.ts'
import { type LoadBalancer, startLoadBalancer } from '../support/load-balancer.ts'
import { secret } from '../support/mcp.ts'
import { createNextVersion, type NextVersion } from '../support/next-version.ts'
import { describeWithRedisServer } from '../support/redis-server.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

jest.setTimeout(600_000)
const timeoutMs = 60_000
const database = useTestDatabase()

async function listTables(): Promise<{ name: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not like 'schema\\_%'
    order by relname`.execute(database.db)
  return rows
}

describeWithRedisServer('a rolling upgrade', () => {
  let cluster: Cluster
  let balancer: LoadBalancer
  let next: NextVersion
  let browser: Browser
  const closeLater = useClosers()
  beforeAll(async () => {
    const port = await findFixedPort()
    cluster = await createCluster(database, {
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SHUTDOWN_DELAY_SECONDS: '3',
      SIMULATION_SPEED: '100',
    })
    closeLater(() => cluster.close())
    // Adds a column to every table: statements that were prepared before must still work.
    next = await createNextVersion([
      'create table next_version_note (id bigint primary key, note text not null)',
      ...(await listTables()).map(({ name }) => `alter table ${name} add column next_version_note text`),
    ])
    closeLater(() => next.remove())
    await cluster.startAll()
    balancer = await startLoadBalancer(
      port,
      cluster.apis.map(({ url }) => url),
    )
    closeLater(() => balancer.close())
    for (const { url } of cluster.apis) await waitFor(async () => balancer.sendsTo(url))
    await cluster.subscribe(balancer.url)
    const { workspaceId, campaignId } = cluster.seed
    await database.db
      .updateTable('campaign')
      .set({ max_concurrent_calls: 50 })
      .where('id', '=', campaignId)
      .execute()
    const { userId, email } = await seedUser(database)
    await database.db
      .insertInto('membership')
      .values({ workspace_id: workspaceId, user_id: userId, role: 'owner' })
      .execute()
    ;({ browser } = await signIn(balancer, email))
  })

  const expectStatus = (status: number, expected: number) => {
    if (status !== expected) throw new Error(`status ${status}`)
  }
  const read = async (path: string) => {
    const response = await cluster.request(balancer.url, path)
    await response.text()
    expectStatus(response.status, 200)
  }
  const open = async (path: string) =>
    expectStatus(
      (await browser.open(`${balancer.url}/w/${cluster.seed.workspaceId}${path}`)).page.status,
      200,
    )
  const useTool = async (
    path: string,
    Transport: typeof SSEClientTransport | typeof StreamableHTTPClientTransport,
  ) => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const url = new URL(`${balancer.url}${path}?widget_id=${cluster.widgetId}`)
    await client.connect(
      new Transport(url, { requestInit: { headers: { Authorization: `Bearer ${secret}` } } }),
    )
    try {
      await client.listTools()
      const args = { phone_number: '+12025550100' }
      const { isError } = await client.callTool({ name: 'contact_lookup', arguments: args })
      if (isError) throw new Error('the tool failed')
    } finally {
      await client.close()
    }
  }

  /**
   * Sends requests of all kinds, several at a time, until `stop` is called. `stop` returns the queued calls and the failures.
   */
  const startLoad = () => {
    const callIds: number[] = []
    const failures: string[] = []
    const counts: Record<string, number> = {}
    const requests: Record<string, () => Promise<void>> = {
      'POST /contacts/': async () => {
        const body = { phone_number: freshNumber(), campaign_id: cluster.seed.campaignId }
        const response = await cluster.request(balancer.url, '/contacts/', body)
        expectStatus(response.status, 201)
        callIds.push(ContactAdded.parse(await response.json()).call.id)
      },
      'GET /calls/': () => read('/calls/'),
      'GET /agents/': () => read('/agents/'),
      'the call list': () => open('/calls'),
      'the overview': () => open('/overview'),
      'a tool over SSE': () => useTool('/api/mcp/sse', SSEClientTransport),
      'a tool over Streamable HTTP': () => useTool('/api/mcp/', StreamableHTTPClientTransport),
    }
    let isStopping = false
    const run = async () => {
      while (!isStopping) {
        for (const [name, send] of Object.entries(requests)) {
          counts[name] = (counts[name] ?? 0) + 1
          await send().catch((error: unknown) => failures.push(`${name}: ${String(error)}`))
        }
      }
    }
    const running = [run(), run()]
    return {
      counts,
      stop: async () => {
        isStopping = true
        await Promise.all(running)
        return { callIds, failures }
      },
    }
  }

  /** Keeps all tables in use in one transaction until `stop` is called, as pg_dump does. */
  const startBackup = async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin')
    for (const { name } of await listTables()) await client.query(`lock table ${name} in access share mode`)
    return { stop: () => client.end() }
  }

  /** Replaces a process with one that runs the version in `root`, by default this version. */
  const replace = async (process: ServiceProcess, root?: string) => {
    expect(await process.stop()).toBe(0)
    await process.start(root)
    if (cluster.apis.includes(process)) await waitFor(async () => balancer.sendsTo(process.url))
  }

  it('loses no request, call, or event, even if an upgraded process goes back to the old version', async () => {
    const load = startLoad()
    const [firstApi, secondApi] = cluster.apis
    const [firstWorker, secondWorker] = cluster.workers
    const backup = await startBackup()
    expect(await firstApi.stop()).toBe(0)
    const upgraded = firstApi.start(next.root)
    await waitFor(
      async () => /waiting to update the database/.test(firstApi.logOutput()),
      undefined,
      timeoutMs,
    )
    await backup.stop()
    await upgraded
    await waitFor(async () => balancer.sendsTo(firstApi.url))
    // Goes back to the old version, which must work with the new tables.
    await replace(firstApi)
    await replace(firstWorker, next.root)
    await replace(firstApi, next.root)
    await replace(secondApi, next.root)
    await replace(secondWorker, next.root)
    const { callIds, failures } = await load.stop()
    expect([failures, balancer.failures]).toEqual([[], []])
    const applied = await sql<{ name: string }>`
      select name from schema_migration where name like '%next_version' order by name`.execute(database.db)
    expect(applied.rows.map(({ name }) => name)).toEqual(next.migrations)

    const calls = await waitFor(
      async () => {
        const rows = await database.db.selectFrom('call').selectAll().orderBy('id').execute()
        return rows.every(({ status }) => status === 'completed') && rows
      },
      () => {},
      timeoutMs,
    )
    expect(calls.map(({ id }) => id)).toEqual(callIds.toSorted((a, b) => a - b))
    expect(
      calls.filter(({ attempts, ended_reason }) => attempts !== 1 || ended_reason === 'worker_lost'),
    ).toEqual([])
    await waitFor(
      async () => cluster.receiver.requests.length >= calls.length,
      () => {},
      timeoutMs,
    )
    const received = cluster.receivedCalls().map(({ id }) => id)
    expect(received.toSorted((a, b) => a - b)).toEqual(calls.map(({ id }) => id))
  })
})
