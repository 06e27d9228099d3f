import { beforeAll, describe, expect, it, jest } from '@jest/globals'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { seedLiveCall } from '../support/factories.ts'
import { secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

jest.setTimeout(60_000)
const revision = '2026-07-28'
let widgetId: string
let agentId: number
let started = 0
let aborted = 0
const service = useMcpWorld({
  echo: ({ args }) => textResult(`You said ${String(args.text)}`),
  who: ({ call }) => textResult(call?.attemptId ?? 'no call'),
  hang: ({ signal }) => {
    started += 1
    signal.addEventListener('abort', () => (aborted += 1))
    return new Promise(() => {})
  },
})
beforeAll(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  agentId = agent.agentId
  for (const name of ['echo', 'hang']) await service.addTool(agentId, name)
  await service.addTool(agentId, 'who', { schema: { type: 'object' } })
})

const url = (query: string) => new URL(`${service.url}/api/mcp/?${query}`)
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends a request of the revision without sessions, with the headers that it requires. `headers` can change them. */
const post = (
  method: string,
  params: { name?: string; arguments?: object; _meta?: object } = {},
  headers: Record<string, string> = {},
) =>
  fetch(url(`widget_id=${widgetId}`), {
    method: 'POST',
    headers: {
      'X-Agent-Secret': secret,
      'content-type': 'application/json',
      'MCP-Protocol-Version': revision,
      'Mcp-Method': method,
      ...(params.name !== undefined && { 'Mcp-Name': params.name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }),
  })

describe.each([
  ['pinned to the sessionless revision', { mode: { pin: revision } }],
  ['that negotiates the revision', { mode: 'auto' }],
] as const)("the MCP SDK's client %s", (_, versionNegotiation) => {
  const connect = async (query: string, headers: Record<string, string>) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(url(query), { requestInit: { headers } }))
    return client
  }

  it('lists and calls tools without a session', async () => {
    const client = await connect(`widget_id=${widgetId}`, { 'X-Agent-Secret': secret })
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(client.getServerVersion()).toMatchObject({ name: 'outdial' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'hang', 'who'])
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } })
    expect(result.content).toEqual([{ type: 'text', text: 'You said hello' }])
    expect((await client.callTool({ name: 'echo', arguments: {} })).isError).toBe(true)
    await expect(client.callTool({ name: 'missing' })).rejects.toThrow('Unknown tool: missing')
    await client.close()
  })

  it("runs tools for an attempt token's call until the attempt ends", async () => {
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
    const token = createAttemptToken(service.deps.attemptTokenKey, call.attemptId)
    const client = await connect('', { Authorization: `Bearer ${token}` })
    const result = await client.callTool({ name: 'who', arguments: {} })
    expect(result.content).toEqual([{ type: 'text', text: call.attemptId }])
    await call.end()
    await expect(client.callTool({ name: 'who', arguments: {} })).rejects.toThrow()
    await client.close()
  })

  it("can't connect with a wrong secret", async () => {
    await expect(connect(`widget_id=${widgetId}`, { 'X-Agent-Secret': 'wrong' })).rejects.toThrow()
  })
})

it('the server offers no change notifications, so a client that wants them opens no stream', async () => {
  const response = await post('server/discover')
  expect(await response.json()).toMatchObject({ result: { capabilities: { tools: {} } } })
  const listening = await post('subscriptions/listen', { _meta: meta })
  expect([listening.status, await listening.json()]).toMatchObject([404, { error: { code: -32601 } }])

  const problems: Error[] = []
  const onChanged = () => {}
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: { pin: revision } },
      listChanged: { tools: { onChanged }, prompts: { onChanged }, resources: { onChanged } },
    },
  )
  client.onerror = (error) => problems.push(error)
  await client.connect(
    new StreamableHTTPClientTransport(url(`widget_id=${widgetId}`), {
      requestInit: { headers: { 'X-Agent-Secret': secret } },
    }),
  )
  expect(client.getServerCapabilities()).toEqual({ tools: {} })
  expect(client.autoOpenedSubscription).toBeUndefined()
  expect(problems).toEqual([])
  await client.close()
})

it('aborts a tool call when the client closes the connection', async () => {
  const stop = new AbortController()
  const calling = fetch(url(`widget_id=${widgetId}`), {
    method: 'POST',
    signal: stop.signal,
    headers: {
      'X-Agent-Secret': secret,
      'content-type': 'application/json',
      'MCP-Protocol-Version': revision,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'hang',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { _meta: meta, name: 'hang', arguments: { text: 'x' } },
    }),
  })
  await waitUntil(() => started === 1)
  stop.abort()
  await expect(calling).rejects.toThrow()
  await waitUntil(() => aborted === 1)
})

it('accepts a tool name that is Base64-encoded in the Mcp-Name header', async () => {
  const encoded = `=?base64?${Buffer.from('echo').toString('base64')}?=`
  const response = await post(
    'tools/call',
    { name: 'echo', arguments: { text: 'x' } },
    { 'Mcp-Name': encoded },
  )
  expect(await response.json()).toMatchObject({ result: { resultType: 'complete' } })
})

it('accepts notifications', async () => {
  const response = await fetch(url(`widget_id=${widgetId}`), {
    method: 'POST',
    headers: {
      'X-Agent-Secret': secret,
      'content-type': 'application/json',
      'MCP-Protocol-Version': revision,
    },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/custom' }),
  })
  expect(response.status).toBe(202)
})

it.each<[string, () => Promise<Response>, number, number]>([
  ['without metadata', () => post('tools/list', { _meta: {} }), 400, -32602],
  ['without a version header', () => post('tools/list', {}, { 'MCP-Protocol-Version': '' }), 400, -32020],
  [
    'with another version header',
    () => post('tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }),
    400,
    -32020,
  ],
  ['with another method header', () => post('tools/list', {}, { 'Mcp-Method': 'tools/call' }), 400, -32020],
  [
    'with another name header',
    () => post('tools/call', { name: 'echo' }, { 'Mcp-Name': 'who' }),
    400,
    -32020,
  ],
  [
    'of an unknown version',
    () =>
      post(
        'tools/list',
        { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
        { 'MCP-Protocol-Version': '2099-01-01' },
      ),
    400,
    -32022,
  ],
  ['for a method of earlier versions', () => post('ping'), 404, -32601],
])('returns a JSON-RPC error for a request %s', async (_, send, status, code) => {
  const response = await send()
  expect([response.status, await response.json()]).toMatchObject([status, { id: 1, error: { code } }])
})
