import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { seedLiveCall } from '../support/factories.ts'
import { openSse, otherSecret, secret, textResult, useMcpWorld } from '../support/mcp.ts'

let widgetId: string
let agentId: number
const service = useMcpWorld({ echo: () => textResult('yes') })
beforeAll(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  agentId = agent.agentId
})

/** Opens a stream with node:http, because fetch can't send a custom Host header. */
async function requestSession(
  query: Record<string, string>,
  headers: Record<string, string> = {},
  { path = '/api/mcp/sse', method = 'GET' } = {},
): Promise<{ status: number; code: string; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const search = new URLSearchParams(query).toString()
    const req = httpRequest(`${service.url}${path}?${search}`, { headers, method }, (res) => {
      const { statusCode: status = 0 } = res
      if (status === 200) {
        req.destroy()
        resolve({ status, code: '', headers: res.headers, body: '' })
        return
      }
      let body = ''
      res.on('data', (chunk: Buffer) => (body += chunk.toString()))
      res.on('end', () => {
        const parsed = JSON.parse(body) as { error: { code: string; request_id: string } }
        expect(parsed.error.request_id).toBe(res.headers['x-request-id'])
        resolve({ status, code: parsed.error.code, headers: res.headers, body })
      })
    })
    req.on('error', reject).end()
  })
}

describe('a request for a session', () => {
  it.each([
    ['the query', { token: secret }, {}],
    ['X-Agent-Secret', {}, { 'X-Agent-Secret': secret }],
    ['Authorization: Bearer', {}, { Authorization: `Bearer ${secret}` }],
    ['Authorization: Token', {}, { Authorization: `Token ${secret}` }],
    ['a lowercase scheme', {}, { Authorization: `bearer ${secret}` }],
    ['all three places', { token: secret }, { 'X-Agent-Secret': secret, Authorization: `Bearer ${secret}` }],
    ['a second valid secret', { token: otherSecret }, {}],
    [
      "the query next to a proxy's own credential",
      { token: secret },
      { Authorization: 'Basic cHJveHk6cHJveHk=' },
    ],
  ])(
    'is accepted with a valid runtime secret: %s',
    async (_where, query: Record<string, string>, headers) => {
      expect(
        (await requestSession({ widget_id: widgetId, ...query }, headers as Record<string, string>)).status,
      ).toBe(200)
    },
  )

  it.each([
    ['no secret', {}, {}, 'missing_credential'],
    ['an empty secret', { token: '' }, {}, 'missing_credential'],
    ['a wrong secret', { token: 'wrong' }, {}, 'invalid_credential'],
    ['a wrong secret of the same length', { token: secret.replace('one', 'six') }, {}, 'invalid_credential'],
    [
      'a valid header and a wrong query',
      { token: 'wrong' },
      { 'X-Agent-Secret': secret },
      'invalid_credential',
    ],
    [
      'a wrong header and a valid query',
      { token: secret },
      { 'X-Agent-Secret': 'wrong' },
      'invalid_credential',
    ],
    [
      'two different valid secrets',
      { token: secret },
      { Authorization: `Bearer ${otherSecret}` },
      'invalid_credential',
    ],
  ])('is rejected with 401 if it has %s', async (_what, query: Record<string, string>, headers, code) => {
    const response = await requestSession({ widget_id: widgetId, ...query }, headers)
    expect(response).toMatchObject({ status: 401, code })
    expect(response.headers['www-authenticate']).toMatch(/^Bearer/)
  })

  it("doesn't reveal which agents exist if it has no secret", async () => {
    const responses = await Promise.all([
      requestSession({ widget_id: randomUUID() }),
      requestSession({ widget_id: widgetId }),
      requestSession({ widget_id: 'x' }),
      requestSession({}),
    ])
    for (const response of responses)
      expect(response).toMatchObject({ status: 401, code: 'missing_credential' })
  })
})

describe('the agent and the call', () => {
  it('a session requires the widget ID of an existing agent', async () => {
    const response = await requestSession({ token: secret })
    expect(response).toMatchObject({ status: 422, code: 'validation_failed' })
    expect(JSON.parse(response.body)).toMatchObject({
      error: { details: [{ field: 'widget_id', code: 'required' }] },
    })
    for (const widget_id of [randomUUID(), '17', '__proto__', `${widgetId}'`]) {
      expect(await requestSession({ token: secret, widget_id })).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
    expect((await requestSession({ token: secret, widget_id: widgetId.toUpperCase() })).status).toBe(200)
  })

  it("rejects a session for an agent that isn't Live, unless the session is for the agent's call in progress", async () => {
    const draft = await service.addAgent('draft')
    expect(await requestSession({ token: secret, widget_id: draft.widgetId })).toMatchObject({
      status: 403,
      code: 'agent_not_live',
    })
    const paused = await service.addAgent('paused')
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId: paused.agentId })
    expect((await requestSession({ token: secret, widget_id: paused.widgetId })).code).toBe('agent_not_live')
    const authorized = await requestSession({
      token: secret,
      widget_id: paused.widgetId,
      call_id: call.attemptId,
    })
    expect(authorized.status).toBe(200)
  })

  it("returns 404 for a call that's unknown, ended, or another agent's", async () => {
    const ownCall = await seedLiveCall(service.deps, { ...service.seed, agentId })
    const other = await service.addAgent()
    const query = { token: secret, widget_id: widgetId }
    expect((await requestSession({ ...query, call_id: ownCall.attemptId })).status).toBe(200)
    const strange = await requestSession({ ...query, widget_id: other.widgetId, call_id: ownCall.attemptId })
    expect(strange).toMatchObject({ status: 404, code: 'not_found' })
    expect((await requestSession({ ...query, call_id: randomUUID() })).status).toBe(404)
    expect((await requestSession({ ...query, call_id: 'SIP/100-00000001' })).status).toBe(404)
    await ownCall.end()
    expect((await requestSession({ ...query, call_id: ownCall.attemptId })).status).toBe(404)
  })
})

describe('the tool server', () => {
  it("accepts only the service's own hosts and origins, on every path", async () => {
    const query = { widget_id: widgetId, token: secret }
    const places = [
      { path: '/api/mcp/sse', method: 'GET' },
      { path: '/api/mcp/messages/', method: 'POST' },
      { path: '/api/mcp/', method: 'POST' },
    ]
    for (const place of places) {
      const strange: Record<string, string>[] = [
        { Host: 'evil.example.com' },
        { Host: '127.0.0.1.evil.example.com:80' },
        { Origin: 'http://evil.example.com' },
        { Origin: 'null' },
        { Origin: 'http://localhost@evil.example.com' },
      ]
      for (const headers of strange) {
        expect(await requestSession(query, headers, place)).toMatchObject({
          status: 403,
          code: 'origin_not_allowed',
        })
      }
    }
    const ownHosts: Record<string, string>[] = [
      { Host: 'localhost' },
      { Host: '[::1]:1' },
      { Origin: 'http://localhost:6274' },
    ]
    for (const headers of ownHosts) expect((await requestSession(query, headers)).status).toBe(200)
  })

  it('returns 405 for an unsupported method, with the methods that the path supports', async () => {
    expect(await requestSession({}, {}, { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET' },
    })
    const messages = await requestSession({}, {}, { path: '/api/mcp/messages' })
    expect(messages).toMatchObject({ status: 405, code: 'method_not_allowed', headers: { allow: 'POST' } })
    const streamable = await requestSession({}, {}, { path: '/api/mcp', method: 'PUT' })
    expect(streamable).toMatchObject({ status: 405, headers: { allow: 'GET, POST, DELETE' } })
  })

  it('leaves other paths to the rest of the service', async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${service.url}/api/mcp/other`)).status).toBe(404)
    expect((await fetch(`${service.url}/api/mcpsse`)).status).toBe(404)
  })

  it('uses the request ID that the client sent', async () => {
    const response = await requestSession({}, { 'X-Request-Id': 'mine-17' })
    expect(response.headers['x-request-id']).toBe('mine-17')
  })
})

describe('an open session', () => {
  it("rejects messages whose secret isn't the one that opened the session", async () => {
    const session = await openSse(service.url, { widget_id: widgetId })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await session.post(ping)).status).toBe(202)
    expect((await session.post(ping, { 'X-Agent-Secret': secret })).status).toBe(202)
    expect((await session.post(ping, { Authorization: `Bearer ${otherSecret}` })).status).toBe(404)
    expect((await session.post(ping, { 'X-Agent-Secret': 'wrong' })).status).toBe(404)
    const withToken = await fetch(`${session.endpoint}&token=${otherSecret}`, { method: 'POST' })
    expect(withToken.status).toBe(404)
    session.close()
  })

  it('is closed when its secret is removed, while sessions of other secrets stay open', async () => {
    const query = { widget_id: widgetId }
    const goes = await openSse(service.url, query, { 'X-Agent-Secret': otherSecret })
    const stays = await openSse(service.url, query)
    service.setSecrets([secret])
    await goes.ended
    expect((await goes.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404)
    expect((await stays.request('ping')).result).toEqual({})
    expect((await requestSession({ ...query, token: otherSecret })).status).toBe(401)
    service.setSecrets([secret, otherSecret])
    expect((await requestSession({ ...query, token: otherSecret })).status).toBe(200)
    stays.close()
  })

  it('leaves neither secrets nor session IDs in the log', async () => {
    const session = await openSse(service.url, { widget_id: widgetId, token: secret }, {})
    await session.call('echo', { text: 'x' })
    const sessionId = new URL(session.endpoint).searchParams.get('sessionId') ?? ''
    await session.post('{', { Authorization: `Bearer ${secret}` })
    await fetch(`${service.url}/api/mcp/messages/?session_id=${sessionId}&token=wrong-${secret}`, {
      method: 'POST',
    })
    await requestSession({ token: `wrong-${secret}` })
    session.close()
    await session.ended
    const logged = service.logOutput()
    expect(logged).toContain('malformed_json')
    for (const hidden of [secret, otherSecret, sessionId]) expect(logged).not.toContain(hidden)
  })
})
