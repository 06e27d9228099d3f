import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { experimental_createMCPClient as createAiClient } from '@ai-sdk/mcp'
import { beforeAll, expect, it, jest } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { newNodeId } from '../../platform/replicas/replicas.ts'
import { conformanceProgram, itWithConformance } from '../support/conformance.ts'
import { secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

jest.setTimeout(60_000)
let widgetId: string
let agentId: number
const service = useMcpWorld({ echo: ({ args }) => textResult(`You said ${String(args.text)}`) })
beforeAll(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  agentId = agent.agentId
  await service.addTool(agentId, 'echo')
})

const address = (path: string) => `${service.url}${path}?widget_id=${widgetId}`
const withSecret = { requestInit: { headers: { Authorization: `Bearer ${secret}` } } }
const newClient = () => new Client({ name: 'test', version: '1.0.0' })

it.each([
  ['SSE', () => new SSEClientTransport(new URL(address('/api/mcp/sse')), withSecret)],
  ['Streamable HTTP', () => new StreamableHTTPClientTransport(new URL(address('/api/mcp/')), withSecret)],
])(
  "the MCP SDK's client lists and calls tools over %s, and is notified of changed tools",
  async (_transport, connectBy) => {
    const client = newClient()
    let changes = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1
    })
    await client.connect(connectBy())
    expect(client.getServerVersion()).toMatchObject({ name: 'outdial' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['echo'])
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } })
    expect(result.content).toEqual([{ type: 'text', text: 'You said hello' }])
    expect((await client.callTool({ name: 'echo', arguments: {} })).isError).toBe(true)
    await expect(client.callTool({ name: 'missing' })).rejects.toThrow('Unknown tool: missing')
    await client.ping()
    await waitUntil(() => {
      service.tools.toolsChanged({ workspaceId: service.seed.workspaceId, agentId })
      return changes > 0
    })
    await client.close()
  },
)

it("the MCP SDK's client can call tools again after its stream is lost, even if it doesn't initialize again", async () => {
  const transport = new SSEClientTransport(new URL(address('/api/mcp/sse')), withSecret)
  const client = newClient()
  await client.connect(transport)
  client.onerror = () => {}
  service.setSecrets([])
  service.setSecrets([secret])
  await waitUntil(async () => {
    const result = await client
      .callTool({ name: 'echo', arguments: { text: 'again' } })
      .catch(() => undefined)
    return JSON.stringify(result?.content ?? '').includes('You said again')
  })
  await client.close()
})

it("after a restart, the MCP SDK's client continues its session over Streamable HTTP", async () => {
  const client = newClient()
  const sessionId = `${newNodeId()}.${randomBytes(16).toString('hex')}`
  const url = new URL(address('/api/mcp/'))
  await client.connect(new StreamableHTTPClientTransport(url, { ...withSecret, sessionId }))
  const result = await client.callTool({ name: 'echo', arguments: { text: 'again' } })
  expect(result.content).toEqual([{ type: 'text', text: 'You said again' }])
  await client.close()
})

it('the client of @ai-sdk/mcp lists and calls tools', async () => {
  const client = await createAiClient({
    transport: { type: 'sse', url: address('/api/mcp/sse'), headers: { 'X-Agent-Secret': secret } },
  })
  const { echo } = await client.tools()
  const result: unknown = await echo?.execute(
    { text: 'hello' },
    { messages: [], toolCallId: '1', context: {} },
  )
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'You said hello' }] })
  await client.close()
})

itWithConformance('the MCP inspector lists and calls tools', async () => {
  const cli = conformanceProgram('inspector/cli/build/cli.js')
  const inspect = async (...words: string[]): Promise<unknown> => {
    const url = `${address('/api/mcp/sse')}&token=${secret}`
    const args = [cli, '--cli', url, '--transport', 'sse', ...words]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout)
  }
  expect(await inspect('--method', 'tools/list')).toMatchObject({ tools: [{ name: 'echo' }] })
  const words = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello']
  expect(await inspect(...words)).toEqual({ content: [{ type: 'text', text: 'You said hello' }] })
})
