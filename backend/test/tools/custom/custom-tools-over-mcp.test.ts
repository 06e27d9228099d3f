import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import pino from 'pino'
import { addHttpTool, editHttpTool } from '../../../tools/save-http-tool.ts'
import { addRemoteServer } from '../../../tools/save-remote-server.ts'
import type { TestDeps } from '../../support/deps.ts'
import { getWidgetId, type Seed, seedWorkspace } from '../../support/factories.ts'
import { useHttpReceiver } from '../../support/http-receiver.ts'
import { secret } from '../../support/mcp.ts'
import { RemoteMcpServer, textResult } from '../../support/remote-mcp-server.ts'
import { useToolServiceWorld } from '../../support/service-with-tools.ts'

const logLines: string[] = []
const log = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) })
const world = useToolServiceWorld({ log })
let deps: TestDeps
let seed: Seed
beforeAll(async () => {
  deps = world.service.deps
  seed = await seedWorkspace(deps)
})

const receiver = useHttpReceiver()
let remote: RemoteMcpServer
beforeEach(async () => {
  remote = new RemoteMcpServer('sse')
  const inputSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
  remote.tools = [
    { name: 'find', inputSchema, annotations: { readOnlyHint: true } },
    { name: 'remove', inputSchema },
  ]
  remote.behaviors = { find: ({ name }) => textResult(`found ${String(name)}`) }
  await remote.start()
})
afterEach(() => remote.stop())

async function assign(toolId: number): Promise<void> {
  const { workspaceId, agentId } = seed
  const values = { workspace_id: workspaceId, agent_id: agentId, tool_id: toolId }
  await deps.db.insertInto('widget_tool').values(values).execute()
  deps.notify.toolsChanged({ workspaceId, agentId })
}

async function connect(): Promise<Client> {
  const widgetId = await getWidgetId(deps, seed.agentId)
  const client = new Client({ name: 'runtime', version: '1.0.0' })
  const address = new URL(`${world.service.url}/api/mcp/sse?widget_id=${widgetId}&token=${secret}`)
  await client.connect(new SSEClientTransport(address))
  return client
}

it('gives an agent HTTP tools and remote tools, and shows an edited tool immediately in an open session', async () => {
  receiver.respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"degrees": 12}')
  const weather = await addHttpTool(deps, seed.workspaceId, {
    name: 'weather',
    description: 'The weather of a city.',
    method: 'GET',
    url: receiver.url('/cities/{city}?key={{secret.KEY}}'),
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    secrets: { KEY: 'key-of-the-weather' },
  })
  const crm = await addRemoteServer(deps, seed.workspaceId, {
    name: 'crm',
    description: 'The CRM.',
    url: remote.url,
  })
  await assign(weather.id)
  await assign(crm.id)

  const client = await connect()
  const { tools } = await client.listTools()
  expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
    crm__find: { readOnlyHint: true },
    crm__remove: { readOnlyHint: false },
    weather: { readOnlyHint: true },
  })
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
  expect(await call('weather', { city: 'Oslo' })).toMatchObject({ content: [{ text: '{"degrees":12}' }] })
  expect(await call('crm__find', { name: 'Maya' })).toMatchObject({ content: [{ text: 'found Maya' }] })
  expect(await call('weather', { town: 'Oslo' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/city is required; unknown argument town/) }],
  })
  expect(await call('crm__find', { name: 1 })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('name must be text') }],
  })

  const listChanged = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
  })
  await editHttpTool(deps, seed.workspaceId, weather.id, { description: 'Sun or rain.' })
  await listChanged
  const changed = (await client.listTools()).tools.find(({ name }) => name === 'weather')
  expect(changed?.description).toBe('Sun or rain.')
  await client.close()
  expect(logLines.join('')).not.toMatch(/key-of-the-weather/)
})
