import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from '@jest/globals'
import { noNotify } from '../../platform/core/notify.ts'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { seedLiveCall } from '../support/factories.ts'
import { openSse, secret, textResult, useMcpWorld } from '../support/mcp.ts'

let widgetId: string
let agentId: number
const service = useMcpWorld({ who: (use) => textResult(use.call?.attemptId ?? 'no call') })
beforeAll(async () => {
  ;({ widgetId, agentId } = await service.addAgent())
  await service.addTool(agentId, 'who', { schema: { type: 'object' } })
})

async function startCall() {
  // With `noNotify`, the end of the call doesn't notify this process, as if another process ended it.
  const call = await seedLiveCall({ ...service.deps, notify: noNotify }, { ...service.seed, agentId })
  const token = createAttemptToken(service.deps.attemptTokenKey, call.attemptId)
  return { attemptId: call.attemptId, token, end: () => call.end() }
}

/** Returns the status and code of a request for a session. */
async function requestSession(query: Record<string, string>, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  const search = new URLSearchParams(query).toString()
  const response = await fetch(`${service.url}/api/mcp/sse?${search}`, { headers, signal: stop.signal })
  if (response.status === 200) {
    stop.abort()
    return [200]
  }
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}

const postStreamable = (token: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/mcp/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })

const callEnded = {
  ...{ jsonrpc: '2.0', id: 1 },
  error: { code: -32000, message: 'The call has ended. Close the session.' },
}

/** Opens a session over Streamable HTTP. Returns the header with the session's ID. */
async function initialize(token: string) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const initialized = await postStreamable(token, { method: 'initialize', params })
  return { 'mcp-session-id': initialized.headers.get('mcp-session-id') ?? '' }
}

it("an attempt token opens its agent's tools for its call, even if the request lacks the widget ID and call ID", async () => {
  const { token, attemptId } = await startCall()
  for (const [query, headers] of [
    [{ token }, {}],
    [{}, { 'X-Agent-Secret': token }],
    [{ widget_id: widgetId, call_id: attemptId }, { Authorization: `Bearer ${token}` }],
  ] as [Record<string, string>, Record<string, string>][]) {
    const session = await openSse(service.url, query, headers)
    expect((await session.call('who', {})).result?.content?.[0]?.text).toBe(attemptId)
    session.close()
  }
})

it("an attempt token opens a Streamable HTTP session that no other attempt's token can use, and that ends with the attempt", async () => {
  const { token, attemptId, end } = await startCall()
  const session = await initialize(token)
  const use = () => postStreamable(token, { method: 'tools/call', params: { name: 'who' } }, session)
  expect(await (await use()).json()).toMatchObject({ result: { content: [{ text: attemptId }] } })
  const other = await startCall()
  expect((await postStreamable(other.token, { method: 'tools/list' }, session)).status).toBe(404)
  await end()
  expect(await (await use()).text()).not.toContain(attemptId)
  expect((await use()).status).toBe(404)
  expect((await postStreamable(token, { method: 'initialize' })).status).toBe(401)
})

it("an attempt token doesn't open another agent's tools, or tools for another call", async () => {
  const { token } = await startCall()
  const other = await service.addAgent()
  const otherCall = await startCall()
  const headers = { Authorization: `Bearer ${token}` }
  expect(await requestSession({ widget_id: other.widgetId }, headers)).toEqual([404, 'not_found'])
  expect(await requestSession({ widget_id: randomUUID() }, headers)).toEqual([404, 'not_found'])
  expect(await requestSession({ call_id: otherCall.attemptId }, headers)).toEqual([404, 'not_found'])
  expect(await requestSession({ call_id: randomUUID() }, headers)).toEqual([404, 'not_found'])
})

it('an attempt token is rejected if the request also has a different credential', async () => {
  const { token } = await startCall()
  const other = await startCall()
  const headers = { Authorization: `Bearer ${token}` }
  expect(await requestSession({ token }, headers)).toEqual([200])
  expect(await requestSession({ token: other.token }, headers)).toEqual([401, 'invalid_credential'])
  expect(await requestSession({ token: secret }, headers)).toEqual([401, 'invalid_credential'])
})

it("an attempt token can't be forged, or changed into another attempt's token", async () => {
  const { token, attemptId } = await startCall()
  const other = await startCall()
  const otherKey = Buffer.from('another-key')
  for (const forged of [
    createAttemptToken(otherKey, attemptId),
    other.token.slice(0, 20) + token.slice(20),
    token.slice(0, -4),
    // This spelling decodes to the same bytes.
    `${token}=`,
    `${token}.`,
    `${token.slice(0, 10)}!${token.slice(10)}`,
    'oat_',
    `oat_${attemptId}`,
  ])
    expect(await requestSession({ token: forged })).toEqual([401, 'invalid_credential'])
})

it('when another process ends the attempt, the attempt token expires, and the sessions that it opened end', async () => {
  const { token, end } = await startCall()
  const session = await openSse(service.url, { token }, {})
  await end()
  expect(await requestSession({ token })).toEqual([401, 'expired_credential'])
  await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } })
  await session.ended
  expect(await session.next()).toEqual(callEnded)
  await expect(session.next()).rejects.toThrow('the stream has ended')
})

it.each(['tools/call', 'tools/list'])(
  "over both transports, the first %s after the attempt's end gets an error, and then the session ends",
  async (method) => {
    const { token, end } = await startCall()
    const session = await openSse(service.url, { token }, {})
    const streamable = await initialize(token)
    await end()
    const request = { method, params: { name: 'who' } }
    expect(await session.request(method, request.params)).toMatchObject({ error: callEnded.error })
    await session.ended
    const response = await postStreamable(token, request, streamable)
    expect([response.status, await response.json()]).toEqual([200, callEnded])
    expect((await postStreamable(token, request, streamable)).status).toBe(404)
  },
)

it('a session that the runtime secret opened for a call ends with the call, even if another process ends the call', async () => {
  const { attemptId, end } = await startCall()
  const query = { widget_id: widgetId, call_id: attemptId }
  const session = await openSse(service.url, query)
  expect((await session.call('who', {})).result?.content?.[0]?.text).toBe(attemptId)
  await end()
  expect(await session.call('who', {})).toMatchObject({ error: callEnded.error })
  await session.ended
  // This process hasn't noticed yet that the call has ended.
  const again = await openSse(service.url, query)
  expect(await again.request('tools/list', {})).toMatchObject({ error: callEnded.error })
  await again.ended
})

it('an attempt token allows messages only to its own session', async () => {
  const { token } = await startCall()
  const other = await startCall()
  const session = await openSse(service.url, { token }, {})
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect((await session.post(ping, { Authorization: `Bearer ${token}` })).status).toBe(202)
  expect((await session.post(ping, { Authorization: `Bearer ${other.token}` })).status).toBe(404)
  session.close()
})

it("an attempt token isn't logged", async () => {
  const { token } = await startCall()
  const session = await openSse(service.url, { token }, {})
  await session.post('{', { Authorization: `Bearer ${token}` })
  await requestSession({ token: `${token}x` })
  session.close()
  await session.ended
  expect(service.logOutput()).toContain('malformed_json')
  expect(service.logOutput()).not.toContain(token.slice(0, 40))
})
