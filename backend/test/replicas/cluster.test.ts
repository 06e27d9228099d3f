import { beforeAll, beforeEach, expect, it, jest } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallList, ContactAdded, type RuntimeDialRequest, type RuntimeReport } from '@outdial/contract'
import { newWebhookSecret } from '../../platform/secrets/tokens.ts'
import { useClosers } from '../support/closers.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { freshNumber } from '../support/factories.ts'
import { openSse, type RawSession } from '../support/mcp.ts'
import { describeWithRedisServer } from '../support/redis-server.ts'
import { startTestRuntime, type TestRuntime } from '../support/test-runtime.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// Long enough for the lease of a killed worker, which expires after 30 seconds.
jest.setTimeout(300_000)
const timeoutMs = 60_000
const database = useTestDatabase()

describeWithRedisServer('two API processes and two workers', () => {
  let cluster: Cluster
  let runtime: TestRuntime
  const closeLater = useClosers()
  beforeAll(async () => {
    runtime = await startTestRuntime()
    closeLater(() => runtime.stop())
    cluster = await createCluster(database, {
      TELEPHONY: 'http',
      RUNTIME_URL: runtime.url,
      RUNTIME_SIGNING_KEY: newWebhookSecret(),
    })
    closeLater(() => cluster.close())
    await cluster.startAll()
    await cluster.subscribe(cluster.apis[0].url)
  })
  beforeEach(() => cluster.startAll())

  /** Queues a call. Returns its ID. */
  const queue = async (url: string): Promise<number> => {
    const body = { phone_number: freshNumber(), campaign_id: cluster.seed.campaignId }
    const response = await cluster.request(url, '/contacts/', body)
    expect(response.status).toBe(201)
    return ContactAdded.parse(await response.json()).call.id
  }

  const waitForDialRequest = (callId: number): Promise<RuntimeDialRequest> =>
    waitFor(async () => runtime.dialRequests().find(({ call_id }) => call_id === callId))

  /** Sends the report that ends a call to a process, as the runtime does. */
  const endCall = async (url: string, request: RuntimeDialRequest): Promise<void> => {
    const at = new Date().toISOString()
    const report: RuntimeReport = {
      ...{ sequence: 1, type: 'ended', at, outcome: 'answered', ended_reason: 'agent_hung_up' },
      ...{ answered_at: at, transcript: [], analysis: null },
    }
    runtime.reportsByAttempt.get(request.attempt_id)?.push(report)
    const response = await fetch(`${url}${new URL(request.reports_url).pathname}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${request.attempt_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(report),
    })
    expect(response.status).toBe(200)
  }

  const eventsOf = (callId: number) => cluster.receivedCalls().filter(({ id }) => id === callId)

  /** Waits for a call's event, and checks that it's the only one and that the call was dialed once. */
  const expectCompletedOnce = async (callId: number): Promise<void> => {
    await waitFor(
      async () => eventsOf(callId).length > 0,
      () => {},
      timeoutMs,
    )
    expect(eventsOf(callId)).toMatchObject([{ status: 'completed', outcome: 'answered', attempts: 1 }])
    expect(runtime.dialRequests().filter(({ call_id }) => call_id === callId)).toHaveLength(1)
    const events = await database.db.selectFrom('event').select('id').where('call_id', '=', callId).execute()
    expect(events).toHaveLength(1)
  }

  /** Posts a message of a session to a process other than the one that has the session. */
  const postTo = (url: string, { endpoint }: RawSession) => {
    const { pathname, search } = new URL(endpoint)
    return fetch(`${url}${pathname}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
  }

  it.each(['SSE', 'Streamable HTTP'])(
    'let an agent open a session over %s through one API process and use tools through the other',
    async (transport) => {
      const [first, second] = cluster.apis
      const callId = await queue(first.url)
      const request = await waitForDialRequest(callId)
      const requestInit = { headers: { Authorization: `Bearer ${request.attempt_token}` } }
      const posts: string[] = []
      /** Sends the request that opens the session to the first process, and everything else to the second. */
      const send = (input: string | URL, init: RequestInit = {}) => {
        const url = new URL(input)
        const isOpening = transport === 'SSE' ? init.method !== 'POST' : posts.length === 0
        if (init.method === 'POST') posts.push(url.pathname)
        return fetch(`${isOpening ? first.url : second.url}${url.pathname}${url.search}`, init)
      }
      const { pathname, search } = new URL(transport === 'SSE' ? request.tools_url : request.tools_http_url)
      const url = new URL(`${first.url}${pathname}${search}`)
      const options = { requestInit, fetch: send }
      const client = new Client({ name: 'test', version: '1.0.0' })
      await client.connect(
        transport === 'SSE'
          ? new SSEClientTransport(url, options)
          : new StreamableHTTPClientTransport(url, options),
      )
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['contact_lookup'])
      const found = await client.callTool({ name: 'contact_lookup', arguments: {} })
      expect(found).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining(request.to_number) }],
      })
      expect(posts.length).toBeGreaterThanOrEqual(3)
      await client.close()
      await endCall(second.url, request)
      await expectCompletedOnce(callId)
      const toolCalls = database.db.selectFrom('tool_call').select('tool_name').where('call_id', '=', callId)
      expect(await toolCalls.execute()).toEqual([{ tool_name: 'contact_lookup' }])
    },
  )

  it('after one API process is killed, return 404 for its sessions, and open new sessions', async () => {
    const [first, second] = cluster.apis
    const query = { widget_id: cluster.widgetId }
    const session = await openSse(first.url, query)
    expect((await postTo(second.url, session)).status).toBe(202)
    await first.kill()
    await session.ended
    // Before the database shows that the process has ended, the response isn't 404: the process could have only lost its
    // connection to Redis.
    const response = await waitFor(
      async () => {
        const posted = await postTo(second.url, session)
        return posted.status === 404 && posted
      },
      () => {},
      timeoutMs,
    )
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
    const opened = await openSse(second.url, query)
    expect(await opened.call('contact_lookup', { phone_number: '+12025550100' })).toMatchObject({
      result: { content: [{}] },
    })
    opened.close()
    // The remaining process also accepts the runtime's reports.
    const callId = await queue(second.url)
    await endCall(second.url, await waitForDialRequest(callId))
    await expectCompletedOnce(callId)
  })

  it('after a worker is killed, complete each of its calls once, without dialing again', async () => {
    const [{ url }] = cluster.apis
    const [first, second] = cluster.workers
    await second.stop()
    const callIds = await Promise.all([queue(url), queue(url), queue(url)])
    const requests = await Promise.all(callIds.map(waitForDialRequest))
    await second.start()
    await first.kill()
    for (const request of requests) await endCall(url, request)
    await Promise.all(callIds.map(expectCompletedOnce))
  })

  it("continue working while Redis is down, and use Redis again without a restart once it's back", async () => {
    const [first, second] = cluster.apis
    const query = { widget_id: cluster.widgetId }
    const session = await openSse(first.url, query)
    expect((await postTo(second.url, session)).status).toBe(202)
    expect(await session.next()).toMatchObject({ id: 1, result: {} })
    await cluster.redis.stop()

    const lost = await postTo(second.url, session)
    expect([lost.status, lost.headers.get('retry-after'), await lost.json()]).toMatchObject([
      503,
      '1',
      { error: { type: 'server_error', code: 'unavailable' } },
    ])
    expect(await session.call('contact_lookup', { phone_number: '+12025550100' })).toMatchObject({
      result: {},
    })
    const openedMeanwhile = await openSse(second.url, query)
    for (const { url } of cluster.apis) {
      const callId = await queue(url)
      await endCall(url, await waitForDialRequest(callId))
      await expectCompletedOnce(callId)
      const listed = CallList.parse(await (await cluster.request(url, '/calls/')).json())
      expect(listed.results).toContainEqual(expect.objectContaining({ id: callId, status: 'completed' }))
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
    }
    for (const { url } of cluster.workers) expect((await fetch(`${url}/readyz`)).status).toBe(200)

    await cluster.redis.start()
    for (const [other, of] of [
      [second, session],
      [first, openedMeanwhile],
    ] as const) {
      await waitFor(async () => {
        const { status } = await postTo(other.url, of)
        // The status is never 404, because a client would give up its session.
        expect([202, 503]).toContain(status)
        return status === 202
      })
      expect(await of.next()).toMatchObject({ id: 1, result: {} })
      of.close()
    }
    const callId = await queue(second.url)
    await endCall(first.url, await waitForDialRequest(callId))
    await expectCompletedOnce(callId)
  })
})
