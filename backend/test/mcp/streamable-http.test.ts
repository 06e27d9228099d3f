import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { newNodeId } from '../../platform/replicas/replicas.ts'
import {
  type JsonRpc,
  openSse,
  otherSecret,
  secret,
  startMcpService,
  textResult,
  useMcpWorld,
} from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

let widgetId: string
let agentId: number
const aborted: string[] = []
let started = 0
const service = useMcpWorld({
  echo: ({ args }) => textResult(String(args.text)),
  hang: ({ signal, args }) => {
    started += 1
    signal.addEventListener('abort', () => aborted.push(String(args.text)))
    return new Promise(() => {})
  },
})
beforeAll(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  agentId = agent.agentId
  await service.addTool(agentId, 'echo')
  await service.addTool(agentId, 'hang')
})

const initialize = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const send = (
  method: string,
  body: unknown,
  headers: Record<string, string> = {},
  query = `widget_id=${widgetId}`,
) =>
  fetch(`${service.url}/api/mcp/?${query}`, {
    method,
    headers: {
      'X-Agent-Secret': secret,
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function begin(): Promise<{
  id: string
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  request(method: string, params?: object): Promise<JsonRpc>
}> {
  const response = await send('POST', initialize)
  const id = response.headers.get('mcp-session-id') ?? ''
  expect(await response.json()).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } })
  const post = (body: unknown, headers = {}) => send('POST', body, { 'Mcp-Session-Id': id, ...headers })
  const request = async (method: string, params?: object) =>
    (await (await post({ jsonrpc: '2.0', id: 1, method, params })).json()) as JsonRpc
  return { id, post, request }
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

it('opens a session with initialize, and responds to each request in the HTTP response to its POST', async () => {
  const session = await begin()
  expect((await session.request('tools/list')).result?.tools?.map(({ name }) => name)).toEqual([
    'echo',
    'hang',
  ])
  const called = await session.request('tools/call', { name: 'echo', arguments: { text: 'hello' } })
  expect(called.result?.content?.[0]?.text).toBe('hello')
  const noted = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([noted.status, await noted.text()]).toEqual([202, ''])
})

it('requires the secret in every request, and the session ID in every request after initialize', async () => {
  const { id } = await begin()
  const sessionHeaders = { 'Mcp-Session-Id': id }
  const statusOf = async (response: Promise<Response>) => (await response).status
  expect(await statusOf(send('POST', ping, { ...sessionHeaders, 'X-Agent-Secret': '' }))).toBe(401)
  expect(await statusOf(send('POST', ping, { ...sessionHeaders, 'X-Agent-Secret': 'wrong' }))).toBe(401)
  expect(await statusOf(send('POST', initialize, { 'X-Agent-Secret': 'wrong' }))).toBe(401)
  expect(await statusOf(send('GET', undefined, { ...sessionHeaders, 'X-Agent-Secret': '' }))).toBe(401)
  expect(await statusOf(send('DELETE', undefined, { ...sessionHeaders, 'X-Agent-Secret': '' }))).toBe(401)
  expect(await statusOf(send('POST', ping, { ...sessionHeaders, 'X-Agent-Secret': otherSecret }))).toBe(404)
  expect(await statusOf(send('POST', ping))).toBe(400)
  expect(await statusOf(send('GET', undefined))).toBe(400)
  expect(await statusOf(send('POST', ping, { 'Mcp-Session-Id': 'unknown' }))).toBe(404)
  expect(
    await statusOf(send('POST', ping, { ...sessionHeaders, 'MCP-Protocol-Version': '1999-01-01' })),
  ).toBe(400)
  expect(await statusOf(send('POST', initialize, sessionHeaders))).toBe(400)
  expect(await statusOf(send('POST', ping, sessionHeaders))).toBe(200)
})

it('authorizes clients by the same rules as HTTP+SSE', async () => {
  const paused = await service.addAgent('paused')
  expect((await send('POST', initialize, {}, `widget_id=${paused.widgetId}`)).status).toBe(403)
  expect((await send('POST', initialize, {}, 'widget_id=x')).status).toBe(404)
  expect((await send('POST', initialize, {}, '')).status).toBe(422)
  expect((await send('POST', initialize, { Origin: 'http://evil.example.com' })).status).toBe(403)
})

it("doesn't open a session for an invalid initialize request", async () => {
  const response = await send('POST', { ...initialize, params: {} })
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect(await response.json()).toMatchObject({ id: 0, error: { code: -32602 } })
})

it("doesn't keep a session if initialize returns an error", async () => {
  const response = await send('POST', { ...initialize, params: { ...initialize.params, task: {} } })
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect(await response.json()).toMatchObject({ id: 0, error: { code: -32603 } })
})

it("doesn't accept a session ID of one transport on the other transport", async () => {
  const { id } = await begin()
  const body = JSON.stringify(ping)
  const headers = { 'content-type': 'application/json' }
  const posted = await fetch(`${service.url}/api/mcp/messages/?sessionId=${id}`, {
    method: 'POST',
    headers,
    body,
  })
  expect(posted.status).toBe(404)
  const sse = await openSse(service.url, { widget_id: widgetId })
  const sseId = new URL(sse.endpoint).searchParams.get('sessionId') ?? ''
  expect((await send('POST', ping, { 'Mcp-Session-Id': sseId })).status).toBe(404)
  sse.close()
})

describe('a session of a process that no longer runs', () => {
  const newForeignId = () => `${newNodeId()}.${randomBytes(16).toString('hex')}`
  const inSession = (id: string) => ({ 'Mcp-Session-Id': id })
  const call = (text: string) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'echo', arguments: { text } },
  })

  it('continues in another process, where the client can send requests, open a stream, and cancel tool calls', async () => {
    const id = newForeignId()
    // Sends two requests at the same time, because a client can do so after a restart of the service.
    const responses = await Promise.all(['a', 'b'].map((text) => send('POST', call(text), inSession(id))))
    expect(await Promise.all(responses.map((response) => response.json()))).toMatchObject([
      { result: { content: [{ text: 'a' }] } },
      { result: { content: [{ text: 'b' }] } },
    ])
    const stream = await send('GET', undefined, inSession(id))
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    await stream.body?.cancel()
    const begun = started
    const params = { name: 'hang', arguments: { text: 'after a restart' } }
    const hanging = send('POST', { jsonrpc: '2.0', id: 5, method: 'tools/call', params }, inSession(id))
    await waitUntil(() => started > begun)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
    expect((await send('POST', cancel, inSession(id))).status).toBe(202)
    expect((await hanging).status).toBe(202)
    expect(aborted).toContain('after a restart')
  })

  it('continues only with a valid credential for the agent', async () => {
    const id = newForeignId()
    const other = await service.addAgent('paused')
    const statusOf = async (headers: Record<string, string>, query?: string) =>
      (await send('POST', ping, { ...inSession(id), ...headers }, query)).status
    expect(await statusOf({ 'X-Agent-Secret': 'wrong' })).toBe(401)
    expect(await statusOf({ 'X-Agent-Secret': '' })).toBe(401)
    expect(await statusOf({}, '')).toBe(422)
    expect(await statusOf({}, `widget_id=${randomUUID()}`)).toBe(404)
    expect(await statusOf({}, `widget_id=${other.widgetId}`)).toBe(403)
    expect(await statusOf({})).toBe(200)
    expect(await statusOf({ 'X-Agent-Secret': otherSecret })).toBe(404)
  })

  it.each([
    ['the client deletes it', (id: string) => send('DELETE', undefined, inSession(id))],
    [
      'its secret is removed',
      async () => {
        service.setSecrets([otherSecret])
        service.setSecrets([secret, otherSecret])
      },
    ],
  ])('ends for good when %s', async (_, end) => {
    const id = newForeignId()
    expect((await send('POST', ping, inSession(id))).status).toBe(200)
    await end(id)
    expect((await send('POST', ping, inSession(id))).status).toBe(404)
    expect((await send('GET', undefined, inSession(id))).status).toBe(404)
  })

  it("isn't continued if its ID names this process or is malformed", async () => {
    const { nodeId } = service.deps.replicas
    const random = randomBytes(16).toString('hex')
    for (const id of [`${nodeId}.${random}`, random, `${newNodeId()}.`, `${newNodeId()}.${random}x`])
      expect((await send('POST', ping, inSession(id))).status).toBe(404)
  })

  it('counts toward the limit of sessions', async () => {
    const limited = await startMcpService({}, { sessionsPerWidget: 2 })
    const agent = await limited.addAgent()
    const statusOf = async (id: string) => {
      const response = await fetch(`${limited.url}/api/mcp/?widget_id=${agent.widgetId}`, {
        method: 'POST',
        headers: { 'X-Agent-Secret': secret, 'content-type': 'application/json', ...inSession(id) },
        body: JSON.stringify(ping),
      })
      return response.status
    }
    expect([await statusOf(newForeignId()), await statusOf(newForeignId())]).toEqual([200, 200])
    expect(await statusOf(newForeignId())).toBe(429)
    await limited.close()
  })
})

it('sends change notifications on the stream that a client opens', async () => {
  const { id } = await begin()
  const stream = await send('GET', undefined, { 'Mcp-Session-Id': id })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  service.tools.toolsChanged({ workspaceId: service.seed.workspaceId, agentId })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe(
    'event: message\ndata: {"method":"notifications/tools/list_changed","jsonrpc":"2.0"}\n\n',
  )
  await reader.cancel()
})

it('when the client deletes a session, ends the session and aborts its tool calls', async () => {
  const session = await begin()
  const begun = started
  const params = { name: 'hang', arguments: { text: 'ended' } }
  const hanging = session.post({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params })
  await waitUntil(() => started > begun)
  const afterEnd = await session.post({ jsonrpc: '2.0', id: 'h', method: 'ping' })
  expect(afterEnd.status).toBe(400)
  expect((await send('DELETE', undefined, { 'Mcp-Session-Id': session.id })).status).toBe(204)
  const ended = await hanging
  expect([ended.status, await ended.json()]).toMatchObject([
    200,
    { id: 'h', error: { code: -32000, message: expect.stringContaining('session ended') as unknown } },
  ])
  expect(aborted).toContain('ended')
  expect((await session.post(ping)).status).toBe(404)
  expect((await send('DELETE', undefined, { 'Mcp-Session-Id': session.id })).status).toBe(404)
})

it('responds with 202 to the request of a tool call that the client then cancels', async () => {
  const session = await begin()
  const begun = started
  const params = { name: 'hang', arguments: { text: 'canceled' } }
  const hanging = session.post({ jsonrpc: '2.0', id: 5, method: 'tools/call', params })
  await waitUntil(() => started > begun)
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
  expect((await hanging).status).toBe(202)
  expect(aborted).toContain('canceled')
})

it('ends a session after ten minutes without requests', async () => {
  const session = await begin()
  const { clock } = service.deps
  const busy = await openSse(service.url, { widget_id: widgetId }) // keeps the session upkeep running
  // Ten minutes, and then enough time for every session's keep-alive to become due.
  for (const ms of [600_000, ...Array.from({ length: 21 }, () => 1_000)]) {
    await waitUntil(() => clock.waiting > 0)
    clock.advance(ms)
  }
  expect((await session.post(ping)).status).toBe(404)
  busy.close()
})
