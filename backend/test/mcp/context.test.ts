import { beforeEach, expect, it } from '@jest/globals'
import { setAgentStatus } from '../../queue/agents/agents.ts'
import { seedLiveCall } from '../support/factories.ts'
import { openSse, secret, textResult, useMcpWorld } from '../support/mcp.ts'

const uses: { config: unknown; agentId: number }[] = []
const service = useMcpWorld({
  echo: ({ config, agentId }) => {
    uses.push({ config, agentId })
    return textResult('yes')
  },
})

let widgetId: string
let agentId: number
beforeEach(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  agentId = agent.agentId
})

const listToolNames = async (session: Awaited<ReturnType<typeof openSse>>) =>
  (await session.request('tools/list')).result?.tools?.map(({ name }) => name)

const requestSession = (query: Record<string, string>) =>
  fetch(`${service.url}/api/mcp/sse?${new URLSearchParams({ token: secret, ...query }).toString()}`)

it("a session offers only tools that are active and assigned to its agent, and runs them with the agent's configuration", async () => {
  const other = await service.addAgent()
  await service.addTool(agentId, 'echo', { config: { spreadsheet_id: 'ours' } })
  await service.addTool(agentId, 'asleep', { active: false })
  await service.addTool(other.agentId, 'echo', { config: { spreadsheet_id: 'theirs' } })
  await service.addTool(other.agentId, 'foreign')
  const session = await openSse(service.url, { widget_id: widgetId })
  expect(await listToolNames(session)).toEqual(['echo'])
  for (const name of ['asleep', 'foreign']) {
    expect((await session.call(name, { text: 'x' })).error).toEqual({
      code: -32602,
      message: `Unknown tool: ${name}`,
    })
  }
  await session.call('echo', { text: 'x' })
  expect(uses.at(-1)).toEqual({ config: { spreadsheet_id: 'ours' }, agentId })
  session.close()
})

it("doesn't query the database when a client reconnects within 30 seconds, with or without a call", async () => {
  await service.addTool(agentId, 'echo')
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  const query = { widget_id: widgetId, call_id: call.attemptId }
  const first = await openSse(service.url, query)
  await listToolNames(first)
  first.close()
  let before = service.queries()
  for (const again of [query, { widget_id: widgetId }, { widget_id: widgetId.toUpperCase() }]) {
    const session = await openSse(service.url, again)
    expect(service.queries()).toBe(before)
    expect(await listToolNames(session)).toEqual(['echo'])
    session.close()
    // If the session has a call ID, each request sends only one query, which checks that the call hasn't ended.
    before += 'call_id' in again ? 1 : 0
    expect(service.queries()).toBe(before)
  }
  service.deps.clock.advance(30_000)
  const late = await openSse(service.url, { widget_id: widgetId })
  late.close()
  expect(service.queries()).toBe(before + 1)
})

it('reads an agent only once for many sessions that open at the same time', async () => {
  const before = service.queries()
  const sessions = await Promise.all(
    Array.from({ length: 20 }, () => openSse(service.url, { widget_id: widgetId })),
  )
  expect(service.queries()).toBe(before + 1)
  for (const session of sessions) session.close()
})

it("caches for 3 seconds that an agent doesn't exist", async () => {
  const query = { widget_id: '00000000-0000-4000-8000-000000000000' }
  const before = service.queries()
  expect((await requestSession(query)).status).toBe(404)
  expect((await requestSession(query)).status).toBe(404)
  expect(service.queries()).toBe(before + 1)
  service.deps.clock.advance(3_000)
  expect((await requestSession(query)).status).toBe(404)
  expect(service.queries()).toBe(before + 2)
})

it('checks the secret even if the agent is cached', async () => {
  const session = await openSse(service.url, { widget_id: widgetId })
  session.close()
  expect((await requestSession({ widget_id: widgetId, token: 'wrong' })).status).toBe(401)
})

it('when tools change, immediately notifies only the open sessions of the affected agents, and updates their tools', async () => {
  const { workspaceId } = service.seed
  const other = await service.addAgent()
  const session = await openSse(service.url, { widget_id: widgetId })
  const bystander = await openSse(service.url, { widget_id: other.widgetId })
  expect(await listToolNames(session)).toEqual([])
  await service.addTool(agentId, 'echo')
  service.tools.toolsChanged({ workspaceId, agentId })
  expect(await session.next()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  expect(await listToolNames(session)).toEqual(['echo'])
  expect((await session.call('echo', { text: 'x' })).result?.isError).toBeUndefined()
  expect(await listToolNames(bystander)).toEqual([])

  await service.deps.db.deleteFrom('widget_tool').where('agent_id', '=', agentId).execute()
  service.tools.toolsChanged({ workspaceId })
  expect((await session.next()).method).toBe('notifications/tools/list_changed')
  expect((await session.call('echo', { text: 'x' })).error?.code).toBe(-32602)
  expect((await bystander.next()).method).toBe('notifications/tools/list_changed')
  session.close()
  bystander.close()
})

it('detects within 30 seconds that another process changed the tools, and notifies the client', async () => {
  const session = await openSse(service.url, { widget_id: widgetId })
  await service.addTool(agentId, 'echo')
  expect(await listToolNames(session)).toEqual([])
  service.deps.clock.advance(30_000)
  const post = session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect((await session.next()).method).toBe('notifications/tools/list_changed')
  expect((await session.next()).result?.tools).toMatchObject([{ name: 'echo' }])
  await post
  session.close()
})

it("doesn't cache tools that changed while they were being read", async () => {
  const { workspaceId } = service.seed
  const opening = openSse(service.url, { widget_id: widgetId })
  await service.addTool(agentId, 'echo')
  service.tools.toolsChanged({ workspaceId, agentId })
  const session = await opening
  const after = await openSse(service.url, { widget_id: widgetId })
  expect(await listToolNames(after)).toEqual(['echo'])
  session.close()
  after.close()
})

it('rejects new sessions as soon as the agent is paused', async () => {
  expect((await openSse(service.url, { widget_id: widgetId })).status).toBe(200)
  await setAgentStatus(service.deps, service.seed.workspaceId, agentId, 'paused')
  expect((await requestSession({ widget_id: widgetId })).status).toBe(403)
})

it('closes the sessions of a deleted agent when they are used', async () => {
  const session = await openSse(service.url, { widget_id: widgetId })
  await service.deps.db.deleteFrom('agent').where('id', '=', agentId).execute()
  service.tools.toolsChanged({ workspaceId: service.seed.workspaceId, agentId })
  await session.next()
  await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  await session.ended
})
