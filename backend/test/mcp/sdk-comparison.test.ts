import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import * as z from 'zod'
import { version } from '../../version.ts'
import { type JsonRpc, openSse, type RawSession, textResult, useMcpWorld } from '../support/mcp.ts'

jest.setTimeout(300_000)

/** Starts a server as in the SDK's examples, with the same tools. */
async function plainServer() {
  const server = new Server({ name: 'outdial', version }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: definitions }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === 'echo') {
      return { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] }
    }
    if (params.name === 'fail') return { content: [{ type: 'text', text: 'It failed.' }], isError: true }
    throw Object.assign(new Error(`Unknown tool: ${params.name}`), { code: -32602 })
  })
  const [client, clientTransport] = InMemoryTransport.createLinkedPair()
  await server.connect(clientTransport)
  const messages: JSONRPCMessage[] = []
  client.onmessage = (message) => void messages.push(message)
  await client.start()
  return {
    /** Sends a message to the SDK's server. Returns 400 if the SDK's SSE transport would reject the message. */
    async send(message: unknown): Promise<number> {
      const parsed = JSONRPCMessageSchema.safeParse(message)
      if (!parsed.success) return 400
      await client.send(parsed.data)
      return 202
    },
    responses: messages,
    close: () => server.close(),
  }
}

const schema = { type: 'object' as const, properties: { text: { type: 'string' } } }
const annotations = { readOnlyHint: true }
const definitions = [
  { name: 'echo', description: 'Does echo.', inputSchema: { type: 'object' as const }, annotations },
  { name: 'fail', description: 'Does fail.', inputSchema: schema, annotations },
]

let session: RawSession
let plain: Awaited<ReturnType<typeof plainServer>>
// This hook must run before the service's hooks. Jest runs these hooks in registration order.
afterAll(async () => {
  session.close()
  await plain.close()
})
const service = useMcpWorld({
  echo: ({ args }) => textResult(JSON.stringify(args)),
  fail: () => ({ text: 'It failed.', isError: true }),
})
beforeAll(async () => {
  const { agentId, widgetId } = await service.addAgent()
  await service.addTool(agentId, 'echo', { schema: { type: 'object' } })
  await service.addTool(agentId, 'fail', { schema })
  session = await openSse(service.url, { widget_id: widgetId })
  plain = await plainServer()
})

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const introduction = fc.record(
  {
    protocolVersion: fc.constantFrom('2025-11-25', '2025-06-18', '2024-11-05', '1999-01-01'),
    capabilities: fc.constantFrom<unknown>(
      {},
      {},
      { roots: {} },
      { sampling: {}, elicitation: {} },
      [],
      null,
    ),
    clientInfo: fc.record({ name: text, version: text, title: text }, { requiredKeys: ['name', 'version'] }),
    extra: fc.anything(),
  },
  { requiredKeys: ['protocolVersion', 'capabilities', 'clientInfo'] },
)
const params = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        name: fc.constantFrom('echo', 'fail'),
        arguments: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))),
      },
      { requiredKeys: ['name'] },
    ),
  },
  fc.record({ name: fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString')) }),
  fc.record({ name: fc.anything(), arguments: fc.anything() }, { requiredKeys: [] }),
  fc.record({ cursor: fc.oneof(text, fc.integer()) }),
  fc.record({
    name: fc.constant('echo'),
    task: fc.oneof(fc.constant({}), fc.constant({ ttl: 5 }), fc.anything()),
  }),
  fc.record({
    _meta: fc.oneof(fc.record({ progressToken: fc.oneof(text, fc.integer(), fc.boolean()) }), fc.anything()),
  }),
  fc.record({ name: fc.constant('echo'), _meta: fc.record({ progressToken: fc.integer() }) }),
  introduction,
  fc.constant({}),
  fc.anything(),
)
const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('tools/call', 'tools/list') },
  { weight: 2, arbitrary: fc.constantFrom('initialize', 'ping') },
  fc.constantFrom(
    'resources/list',
    'prompts/get',
    'notifications/initialized',
    'notifications/progress',
    'tools',
    '__proto__',
    'constructor',
  ),
  text,
)
const id = fc.oneof(
  { weight: 6, arbitrary: fc.integer() },
  text,
  fc.constantFrom<unknown>(null, 1.5, {}, [], true),
)
const message = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      { jsonrpc: fc.constant('2.0'), id, method, params },
      { requiredKeys: ['jsonrpc', 'method'] },
    ),
  },
  fc.record(
    { jsonrpc: fc.constantFrom('2.0', '1.0', 2), id, method, params, extra: fc.anything() },
    { requiredKeys: [] },
  ),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id,
    method: fc.constant('initialize'),
    params: introduction,
  }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.anything() }),
  fc.anything(),
)

/**
 * Removes the only intended difference from a response. For invalid parameters, Outdial's server returns -32602 and describes
 * the issues. The SDK's server returns the raw issues of its schema with -32603, or an error with -32602.
 */
function normalize(response: unknown): unknown {
  const { error, ...rest } = response as JsonRpc
  if (error === undefined) return response
  const isInvalidParams =
    error.message.startsWith('Invalid params: ') || /^(\[|MCP error -32602)/.test(error.message.trim())
  return isInvalidParams ? { id: rest.id, issue: 'invalid parameters' } : response
}

/** Removes null arguments. Outdial's server treats null as missing arguments, but the SDK's server rejects null. */
function withoutNullArguments(sent: unknown): unknown {
  const parsed = z.looseObject({ params: z.looseObject({ arguments: z.null() }) }).safeParse(sent)
  if (!parsed.success || parsed.data.method !== 'tools/call') return sent
  return { ...parsed.data, params: { ...parsed.data.params, arguments: undefined } }
}

it("responds to any message like the MCP SDK's server, except for null arguments and the details of errors about parameters", async () => {
  let posts = 0
  await fc.assert(
    fc.asyncProperty(message, async (generated) => {
      const json = JSON.stringify([generated]).slice(1, -1) // undefined becomes null
      const sent = JSON.parse(json) as unknown
      plain.responses.length = 0
      const expected = await plain.send(withoutNullArguments(sent))
      const response = await session.post(json)
      await response.arrayBuffer()
      expect(response.status).toBe(expected)
      // Sends a second request: its response shows that all responses to the first message have arrived.
      posts += 1
      const mark = { jsonrpc: '2.0', id: `mark ${posts}`, method: 'ping' }
      await plain.send(mark)
      await session.post(mark)
      const ours: unknown[] = []
      for (;;) {
        const next = await session.next()
        if (next.id === mark.id) break
        ours.push(next)
      }
      await new Promise((resolve) => setImmediate(resolve))
      const theirs = plain.responses.filter((other) => !('id' in other && other.id === mark.id))
      expect(ours.map(normalize)).toEqual(theirs.map(normalize))
    }),
    { numRuns: 1_500 },
  )
})
