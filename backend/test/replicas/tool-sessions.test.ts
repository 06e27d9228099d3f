import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { setAgentStatus } from '../../queue/agents/agents.ts'
import { unassignTool } from '../../tools/assignments.ts'
import { createDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts'
import { getWidgetId, type Seed, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import {
  addTool,
  type JsonRpc,
  openSse,
  otherSecret,
  type RawSession,
  secret,
  textResult,
} from '../support/mcp.ts'
import {
  createInstallation,
  describeWithRedis,
  type Installation,
  redisUrl,
  type Replica,
  startReplica,
} from '../support/replicas.ts'
import { waitFor, waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
const texts: string[] = []
const behaviors = {
  echo: ({ args }: { args: Record<string, unknown> }) => {
    texts.push(String(args.text))
    return textResult(String(args.text))
  },
}

describeWithRedis('the tool server of two replicas', () => {
  let installation: Installation
  /** The proxy between the replicas and Redis. */
  let proxy: DatabaseProxy
  let seed: Seed
  let widgetId: string
  let toolId: number
  let first: Replica
  let second: Replica
  beforeEach(async () => {
    texts.length = 0
    installation = createInstallation(database.db)
    proxy = await createDatabaseProxy(redisUrl)
    first = await startReplica(installation, { redisUrl: proxy.url, behaviors })
    second = await startReplica(installation, { redisUrl: proxy.url, behaviors })
    seed = await seedWorkspace(first.deps)
    widgetId = await getWidgetId(database, seed.agentId)
    toolId = await addTool(database.db, seed, 'echo')
  })
  afterEach(async () => {
    await Promise.all([first.stop(), second.stop()])
    await proxy.disconnect()
  })

  const open = (replica = first) => openSse(replica.url, { widget_id: widgetId })

  /** Posts a message of a session to a replica other than the one that has the session. */
  const postTo = (replica: Replica, { endpoint }: RawSession, body: unknown, headers = {}) => {
    const { pathname, search } = new URL(endpoint)
    return fetch(`${replica.url}${pathname}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
  const callEcho = (text: string, id = 1) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'echo', arguments: { text } },
  })
  /** Sends a Streamable HTTP request. */
  const send = (replica: Replica, method: string, body?: unknown, id?: string) =>
    fetch(`${replica.url}/api/mcp/?widget_id=${widgetId}`, {
      method,
      headers: {
        'X-Agent-Secret': secret,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(id !== undefined && { 'mcp-session-id': id }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  /** Opens a session over Streamable HTTP on the first replica. Returns its ID. */
  const initialize = async () => {
    const opened = await send(first, 'POST', {
      ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    })
    return opened.headers.get('mcp-session-id') ?? ''
  }

  const ping = { jsonrpc: '2.0', id: 9, method: 'ping' }

  it('accepts a message on any replica, calls the tool once, and sends the result on the stream', async () => {
    const session = await open()
    for (const [index, replica] of [second, first, second].entries()) {
      const posted = await postTo(replica, session, callEcho(`to ${index}`, index))
      expect([posted.status, await posted.text()]).toEqual([202, ''])
      expect(await session.next()).toMatchObject({
        id: index,
        result: { content: [{ text: `to ${index}` }] },
      })
    }
    expect(texts).toEqual(['to 0', 'to 1', 'to 2'])
    session.close()
  })

  it("handles a client's messages in the order in which the client sent them", async () => {
    const session = await open()
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    for (const id of numbers) expect((await postTo(second, session, { ...ping, id })).status).toBe(202)
    const ids = []
    while (ids.length < numbers.length) ids.push((await session.next()).id)
    expect(ids).toEqual(numbers)
    session.close()
  })

  it('forwards messages of up to 256 KiB to another replica, and returns 413 for longer ones', async () => {
    const session = await open()
    const sized = (bytes: number) => {
      const empty = JSON.stringify({ ...ping, params: { text: '' } })
      return JSON.stringify({ ...ping, params: { text: 'x'.repeat(bytes - empty.length) } })
    }
    expect((await postTo(second, session, sized(256 * 1024))).status).toBe(202)
    expect(await session.next()).toEqual({ jsonrpc: '2.0', id: 9, result: {} })
    expect((await postTo(second, session, sized(256 * 1024 + 1))).status).toBe(413)
    session.close()
  })

  it("checks a message's origin, content, and credential in the same way on every replica", async () => {
    const session = await open()
    const respond = async (replica: Replica, body: unknown, headers: Record<string, string>) =>
      (await postTo(replica, session, body, headers)).status
    const requests: [unknown, Record<string, string>][] = [
      [ping, { 'X-Agent-Secret': otherSecret }],
      [ping, { 'X-Agent-Secret': secret }],
      [ping, { origin: 'https://evil.example.com' }],
      ['{', {}],
      [{ hello: 1 }, {}],
      [ping, { 'content-type': 'text/plain' }],
    ]
    for (const [body, headers] of requests) {
      expect([headers, await respond(second, body, headers)]).toEqual([
        headers,
        await respond(first, body, headers),
      ])
    }
    expect(await respond(second, ping, { 'X-Agent-Secret': otherSecret })).toBe(404)
    session.close()
  })

  it('returns 404 for a session that has ended or whose replica has stopped', async () => {
    const session = await open()
    const other = await open()
    session.close()
    await waitFor(async () => (await postTo(second, session, ping)).status === 404)
    expect((await postTo(second, other, ping)).status).toBe(202)
    await first.stop()
    expect((await postTo(second, other, ping)).status).toBe(404)
  })

  it('lets any replica handle messages for a Streamable HTTP session and delete the session, but not stream its notifications', async () => {
    const id = await initialize()
    const notified = await send(second, 'POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, id)
    expect(notified.status).toBe(202)
    const called = await send(second, 'POST', callEcho('from the other'), id)
    expect([called.status, (await called.json()) as JsonRpc]).toMatchObject([
      200,
      { id: 1, result: { content: [{ text: 'from the other' }] } },
    ])
    // Only the replica that has the session can stream the session's notifications.
    const stream = await send(second, 'GET', undefined, id)
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
    expect((await send(second, 'DELETE', undefined, id)).status).toBe(204)
    for (const replica of [first, second]) {
      for (const method of ['GET', 'DELETE'])
        expect((await send(replica, method, undefined, id)).status).toBe(404)
      expect((await send(replica, 'POST', ping, id)).status).toBe(404)
    }
  })

  it('continues a Streamable HTTP session after its replica stops, and keeps a deleted session deleted', async () => {
    const [id, deleted] = [await initialize(), await initialize()]
    expect((await send(first, 'DELETE', undefined, deleted)).status).toBe(204)
    expect((await send(second, 'POST', callEcho('still here'), deleted)).status).toBe(404)
    await first.stop()
    const called = await send(second, 'POST', callEcho('after the end'), id)
    expect([called.status, await called.json()]).toMatchObject([
      200,
      { id: 1, result: { content: [{ text: 'after the end' }] } },
    ])
    expect(texts).toEqual(['after the end'])
    expect((await send(second, 'DELETE', undefined, id)).status).toBe(204)
    expect((await send(second, 'POST', ping, id)).status).toBe(404)
  })

  it("doesn't revive a session that ends while another request is being authorized", async () => {
    const id = await initialize()
    await first.stop()
    const request = second.deps.replicas.request.bind(second.deps.replicas)
    let forwarded = 0
    second.deps.replicas.request = async (...args) => {
      const reply = await request(...args)
      forwarded += 1
      return reply
    }
    // Both requests wait to read the agent. The first one continues before the second.
    const responses = await database.db.transaction().execute(async (tx) => {
      await sql`lock table agent in access exclusive mode`.execute(tx)
      const deleted = send(second, 'DELETE', undefined, id)
      await waitForLockWaiters(database.db)
      const pinged = send(second, 'POST', ping, id)
      await waitUntil(() => forwarded === 2)
      return { deleted, pinged }
    })
    expect((await responses.deleted).status).toBe(204)
    expect((await responses.pinged).status).toBe(404)
    expect((await send(second, 'POST', ping, id)).status).toBe(404)
  })

  it("doesn't ask a client to repeat a tool call whose response was lost, because the tool may have been called", async () => {
    const session = await open()
    const id = await initialize()
    second.deps.replicas.request = async () => ({ state: 'unanswered' })
    // The response is 202, because the tool's result can still arrive on the stream.
    expect((await postTo(second, session, callEcho('x'))).status).toBe(202)
    const called = await send(second, 'POST', callEcho('x'), id)
    expect([called.status, await called.json()]).toMatchObject([
      200,
      { id: 1, error: { message: expect.stringContaining("Don't repeat it.") as unknown } },
    ])
    expect((await send(second, 'DELETE', undefined, id)).status).toBe(503)
    session.close()
  })

  it('notifies a session of tools that changed on another replica, and lists the changed tools', async () => {
    const session = await open()
    const listNames = async () => (await session.request('tools/list')).result?.tools?.map(({ name }) => name)
    expect(await listNames()).toEqual(['echo'])
    await unassignTool(second.deps, seed.workspaceId, seed.agentId, toolId)
    expect(await session.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await listNames()).toEqual([])

    // The change also applies to new sessions.
    await setAgentStatus(second.deps, seed.workspaceId, seed.agentId, 'paused')
    await waitFor(async () => {
      const response = await fetch(`${first.url}/api/mcp/sse?widget_id=${widgetId}&token=${secret}`)
      await response.body?.cancel()
      return response.status === 403
    })
    session.close()
  })

  it('while Redis is unreachable, responds to messages for other replicas with 503, and recovers by itself afterward', async () => {
    const session = await open()
    await proxy.disconnect()
    await waitUntil(
      () =>
        first.logOutput().includes('Redis is unavailable') &&
        second.logOutput().includes('Redis is unavailable'),
    )
    const posted = await postTo(second, session, callEcho('lost'))
    expect([posted.status, posted.headers.get('retry-after'), await posted.json()]).toMatchObject([
      503,
      '1',
      { error: { code: 'unavailable' } },
    ])
    // Without Redis, a replica still handles tool calls of its own sessions, and opens new sessions.
    expect(await session.call('echo', { text: 'here' })).toMatchObject({ result: {} })
    const opened = await open(second)
    expect((await second.app.inject('/readyz')).statusCode).toBe(200)
    expect((await second.app.inject('/metrics')).body).toContain('\noutdial_redis_up 0\n')

    await proxy.reconnect()
    for (const [replica, of] of [
      [second, session],
      [first, opened],
    ] as const)
      await waitFor(async () => {
        const response = await postTo(replica, of, ping)
        // The status is never 404, because a client would give up its session.
        expect([202, 503]).toContain(response.status)
        return response.status === 202
      })
    expect(await session.next()).toMatchObject({ id: 9 })
    expect(texts).toEqual(['here'])
    expect((await second.app.inject('/metrics')).body).toContain('\noutdial_redis_up 1\n')
    session.close()
    opened.close()
  })

  it('never returns 404 for a session of a replica that has only lost its own connection to Redis', async () => {
    const proxyOfOwner = await createDatabaseProxy(redisUrl)
    const owner = await startReplica(installation, { redisUrl: proxyOfOwner.url, behaviors })
    const session = await open(owner)
    expect((await postTo(second, session, ping)).status).toBe(202)
    /** Posts until the response has the expected status. */
    const postUntil = (expected: number) =>
      waitFor(async () => {
        const { status } = await postTo(second, session, ping)
        expect([202, 503]).toContain(status)
        return status === expected
      })
    await proxyOfOwner.disconnect()
    await postUntil(503)
    await proxyOfOwner.reconnect()
    await postUntil(202)
    session.close()
    await owner.stop()
    await proxyOfOwner.disconnect()
  })

  it('replaces a connection to Redis that goes silent', async () => {
    const session = await open()
    proxy.silence()
    expect((await postTo(second, session, callEcho('into the void'))).status).toBe(503)
    await waitFor(async () => (await postTo(second, session, ping)).status === 202)
    expect(texts).toEqual([])
    session.close()
  })
})
