import { beforeEach, expect, it } from '@jest/globals'
import { seedLiveCall } from '../support/factories.ts'
import { openSocket, openSse, otherSecret, secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

let uses = 0
let broken = 0
const service = useMcpWorld({
  act: () => {
    uses += 1
    return textResult('done')
  },
  hang: ({ signal }) => {
    uses += 1
    signal.addEventListener('abort', () => (broken += 1))
    return new Promise(() => {})
  },
})

let widgetId: string
let agentId: number
beforeEach(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  agentId = agent.agentId
  uses = 0
  broken = 0
})

const toolCallMessage = (name: string, id: number | string = 1) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { text: 'x' } },
  })

/** Returns the bytes of an HTTP request that posts a message. */
function postRequest(endpoint: string, body: string): string {
  const { host, pathname, search } = new URL(endpoint)
  const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const streamRequest = () =>
  `GET /api/mcp/sse?widget_id=${widgetId}&token=${secret} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n\r\n`

it("doesn't call a tool if the session ended while the message was being sent", async () => {
  await service.addTool(agentId, 'act')
  const session = await openSse(service.url, { widget_id: widgetId })
  const socket = openSocket(session.endpoint)
  const request = postRequest(session.endpoint, toolCallMessage('act'))
  socket.send(request.slice(0, -5))
  await waitUntil(
    async () => (await session.post({ jsonrpc: '2.0', method: 'notifications/x' })).status === 202,
  )
  session.close()
  await waitUntil(async () => (await session.post(toolCallMessage('act'))).status === 404)
  socket.send(request.slice(-5))
  await waitUntil(() => socket.received().includes('\r\n\r\n'))
  expect(socket.received()).toMatch(/^HTTP\/1.1 404 /)
  expect(uses).toBe(0)
  socket.end()
})

it("doesn't call a tool if the tool call was canceled while the tools were being read again", async () => {
  await service.addTool(agentId, 'act')
  const session = await openSse(service.url, { widget_id: widgetId })
  service.tools.toolsChanged({ workspaceId: service.seed.workspaceId, agentId })
  await session.next()
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
  const socket = openSocket(session.endpoint)
  socket.send(
    postRequest(session.endpoint, toolCallMessage('act', 7)) +
      postRequest(session.endpoint, JSON.stringify(cancel)),
  )
  await waitUntil(() => socket.received().split('202 Accepted').length === 3)
  expect((await session.request('tools/list')).result?.tools).toHaveLength(1)
  expect(uses).toBe(0)
  session.close()
  socket.end()
})

it("doesn't call a tool of a deleted agent", async () => {
  await service.addTool(agentId, 'act')
  const session = await openSse(service.url, { widget_id: widgetId })
  await service.deps.db.deleteFrom('widget_tool').where('agent_id', '=', agentId).execute()
  await service.deps.db.deleteFrom('agent').where('id', '=', agentId).execute()
  service.tools.toolsChanged({ workspaceId: service.seed.workspaceId, agentId })
  await session.next()
  expect(await session.call('act', {})).toMatchObject({
    error: { code: -32000, message: 'The agent no longer exists. Close the session.' },
  })
  await session.ended
  expect(uses).toBe(0)
})

it('counts and aborts every tool call, even if a client uses one ID for many of them', async () => {
  await service.addTool(agentId, 'hang')
  const session = await openSse(service.url, { widget_id: widgetId })
  await Promise.all(Array.from({ length: 100 }, () => session.post(toolCallMessage('hang', 'same'))))
  await waitUntil(() => uses === 100)
  expect((await session.call('hang', { text: 'x' })).result).toMatchObject({ isError: true })
  expect(uses).toBe(100)
  session.close()
  await waitUntil(() => broken === 100)
})

it('responds with an error to tool calls in progress when the secret of their session is removed', async () => {
  await service.addTool(agentId, 'hang')
  const session = await openSse(service.url, { widget_id: widgetId }, { 'X-Agent-Secret': otherSecret })
  const calling = session.call('hang', { text: 'x' })
  await waitUntil(() => uses === 1)
  service.setSecrets([secret])
  expect(await calling).toMatchObject({
    error: {
      message: "The session ended before the response. The request may have taken effect. Don't repeat it.",
    },
  })
  await session.ended
  await waitUntil(() => broken === 1)
  service.setSecrets([secret, otherSecret])
})

it("doesn't open a session with outdated tools if they change while the session's call is being looked up", async () => {
  const earlier = await openSse(service.url, { widget_id: widgetId })
  earlier.close()
  await waitUntil(async () => (await earlier.post(toolCallMessage('act'))).status === 404)
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  await service.addTool(agentId, 'act')
  const before = service.queries()
  const opening = openSse(service.url, { widget_id: widgetId, call_id: call.attemptId, token: secret })
  await waitUntil(() => service.queries() > before)
  service.tools.toolsChanged({ workspaceId: service.seed.workspaceId, agentId })
  const session = await opening
  const messages = [await session.request('tools/list')]
  if (messages[0]?.method !== undefined) messages.push(await session.next())
  expect(messages.at(-1)?.result?.tools).toHaveLength(1)
  session.close()
})

it('opens a stream on a connection that has handled another request, and sends responses on the stream', async () => {
  await service.addTool(agentId, 'act')
  const other = await openSse(service.url, { widget_id: widgetId })
  const socket = openSocket(service.url)
  socket.send(postRequest(other.endpoint, toolCallMessage('act')) + streamRequest())
  await waitUntil(() => socket.received().includes('event: endpoint'))
  const path = /data: (.*)/.exec(socket.received())?.[1] ?? ''
  const posted = openSocket(service.url)
  for (const id of ['first', 'second']) {
    posted.send(postRequest(new URL(path, service.url).href, toolCallMessage('act', id)))
    await waitUntil(() => socket.received().includes(`"id":"${id}"`))
  }
  expect(socket.received()).toMatch(/^HTTP\/1.1 202 [^]*HTTP\/1.1 200 /)
  expect(uses).toBe(3)
  for (const each of [other, { close: socket.end }, { close: posted.end }]) each.close()
})

it('ends the session when the client closes its side of the connection', async () => {
  const socket = openSocket(service.url)
  socket.send(streamRequest())
  await waitUntil(() => socket.received().includes('event: endpoint'))
  const path = /data: (.*)/.exec(socket.received())?.[1] ?? ''
  socket.finish()
  await waitUntil(async () => {
    const response = await fetch(new URL(path, service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toolCallMessage('act'),
    })
    return response.status === 404
  })
  expect(uses).toBe(0)
})

it("doesn't open a session if the secret is removed while the client is being authorized", async () => {
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  const before = service.queries()
  const query = { widget_id: widgetId, call_id: call.attemptId }
  const opening = openSse(service.url, query, { 'X-Agent-Secret': otherSecret })
  await waitUntil(() => service.queries() > before)
  service.setSecrets([secret])
  await expect(opening).rejects.toThrow(/^401 /)
  service.setSecrets([secret, otherSecret])
})
