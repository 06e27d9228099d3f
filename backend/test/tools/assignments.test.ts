import { beforeEach, describe, expect, it } from '@jest/globals'
import pino from 'pino'
import { assignTool, unassignTool } from '../../tools/assignments.ts'
import { toolKinds } from '../../tools/kind-registry.ts'
import { addHttpTool, type HttpToolInput } from '../../tools/save-http-tool.ts'
import { editRemoteServer, refreshRemoteServer } from '../../tools/save-remote-server.ts'
import { saveGoogleAccount } from '../../tools/spreadsheets/google-account.ts'
import { createSpreadsheet } from '../../tools/spreadsheets/spreadsheets.ts'
import { deleteTool, installBuiltInTools, listTools, setToolActive } from '../../tools/tool-catalog.ts'
import { insertTool } from '../../tools/tool-store.ts'
import type { TestDeps } from '../support/deps.ts'
import { getWidgetId, type Seed, seedAgent, seedLiveCall, seedWorkspace } from '../support/factories.ts'
import { openSse } from '../support/mcp.ts'
import { useToolServiceWorld } from '../support/service-with-tools.ts'
import { createKeyFile } from '../support/spreadsheets.ts'

const logged: Record<string, unknown>[] = []
const log = pino({}, { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) })
const world = useToolServiceWorld({ log })

let deps: TestDeps
let seed: Seed
let workspaceId: number
let agentId: number
beforeEach(async () => {
  deps = world.service.deps
  seed = await seedWorkspace(deps)
  ;({ workspaceId, agentId } = seed)
  await installBuiltInTools(deps, workspaceId)
})

const getToolId = async (name: string): Promise<number> => {
  const tool = (await listTools(deps, workspaceId)).find((listed) => listed.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool.id
}

const assign = (toolId: number, config: unknown = {}) =>
  assignTool(deps, workspaceId, agentId, toolId, config)

const open = async (query: Record<string, string> = {}) =>
  openSse(world.service.url, { widget_id: await getWidgetId(deps, agentId), ...query })

const weather: HttpToolInput = {
  name: 'weather',
  description: 'The weather of a city.',
  method: 'GET',
  url: 'https://weather.example.com/{city}',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const listToolNames = async (session: Awaited<ReturnType<typeof open>>) =>
  (await session.request('tools/list')).result?.tools?.map(({ name }) => name)

const remote = (server: string, tool: string) =>
  insertTool(deps.db, workspaceId, 'remote_mcp', {
    name: server,
    description: 'A server.',
    inputSchema: {},
    settings: {
      url: 'https://mcp.example.com/',
      tools: [{ name: tool, description: '', inputSchema: { type: 'object' }, readOnly: true }],
    },
    secrets: null,
    createdAt: deps.clock.now(),
  }).then((added) => added?.id ?? 0)

describe('built-in tools', () => {
  it('are each installed once, even if two requests install them at the same time', async () => {
    const expected = [...toolKinds.values()].flatMap(({ builtIn }) => builtIn?.name ?? []).sort()
    await Promise.all([installBuiltInTools(deps, workspaceId), installBuiltInTools(deps, workspaceId)])

    const listed = await listTools(deps, workspaceId)
    expect(listed.map(({ name }) => name).sort()).toEqual(expected)
    expect(listed.every(({ isActive, agents }) => isActive && agents.length === 0)).toBe(true)
  })

  it('are added to an older workspace, except one whose name a custom tool already has', async () => {
    const other = await seedWorkspace(deps)
    await addHttpTool(deps, other.workspaceId, {
      name: 'contact_note',
      description: 'Notes it elsewhere.',
      method: 'POST',
      url: 'https://notes.example.com/',
      inputSchema: { type: 'object' },
    })

    const listed = await listTools(deps, other.workspaceId)
    expect(listed.filter(({ name }) => name === 'contact_note')).toMatchObject([{ kind: 'http' }])
    expect(listed.map(({ name }) => name)).toContain('do_not_call')
  })

  it('have the description and schema of this Outdial version, not the ones saved in the database', async () => {
    const stale = {
      description: 'From an earlier version.',
      input_schema: '{"type": "object", "required": ["gone"]}',
    }
    const rows = deps.db.updateTable('mcp_tool').set(stale).where('workspace_id', '=', workspaceId)
    await rows.execute()
    const now = toolKinds.get('contact_note')?.builtIn
    const listed = (await listTools(deps, workspaceId)).find(({ name }) => name === 'contact_note')
    expect(listed).toMatchObject({ description: now?.description })

    await assign(await getToolId('contact_note'))
    const session = await open()
    const annotations = { readOnlyHint: false }
    expect((await session.request('tools/list')).result?.tools).toEqual([{ ...now, annotations }])
    expect((await session.call('contact_note', { gone: 'x' })).result?.content?.[0]?.text).toContain('gone')
    session.close()
  })
})

describe('the tools of a session', () => {
  it("don't include a tool whose settings can't be read, but still include the others", async () => {
    const bad = await remote('crm', 'find')
    await assign(bad)
    await assign(await getToolId('contact_note'))
    const broken = {
      settings: JSON.stringify({ url: 'https://key-in-the-url@mcp.example.com', tools: 'all' }),
    }
    await deps.db.updateTable('mcp_tool').set(broken).where('id', '=', bad).execute()

    const session = await open()
    expect(await listToolNames(session)).toEqual(['contact_note'])
    expect((await session.call('crm__find')).error).toMatchObject({ message: 'Unknown tool: crm__find' })
    session.close()
    const entry = logged.filter(({ msg }) => msg === "failed to read a tool's settings").at(-1)
    expect(entry).toMatchObject({ level: 50, tool_id: bad, workspace_id: workspaceId })
    expect(JSON.stringify(logged)).not.toContain('key-in-the-url')

    await assign(await getToolId('do_not_call'))
    const sentence = { code: 'validation_failed', message: expect.stringContaining("can't be read") }
    await expect(assign(bad)).rejects.toMatchObject(sentence)
    await expect(refreshRemoteServer(deps, workspaceId, bad)).rejects.toMatchObject(sentence)
    await expect(editRemoteServer(deps, workspaceId, bad, {})).rejects.toMatchObject(sentence)
  })

  it('change immediately when a tool is assigned, turned off, turned on, or unassigned during the session', async () => {
    const session = await open()
    const toolId = await getToolId('contact_note')
    expect(await listToolNames(session)).toEqual([])

    const steps: [change: () => Promise<void>, offered: string[]][] = [
      [() => assign(toolId), ['contact_note']],
      [() => setToolActive(deps, workspaceId, toolId, false), []],
      [() => setToolActive(deps, workspaceId, toolId, true), ['contact_note']],
      [() => unassignTool(deps, workspaceId, agentId, toolId), []],
    ]
    for (const [change, offered] of steps) {
      await change()
      expect(await session.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
      expect(await listToolNames(session)).toEqual(offered)
    }
    session.close()
  })
})

describe('tool deletion', () => {
  it('removes a custom tool from its agents, but keeps the records of its tool calls', async () => {
    const { id: toolId } = await addHttpTool(deps, workspaceId, weather)
    await assign(toolId)
    const call = await seedLiveCall(deps, seed)
    const session = await open({ call_id: call.attemptId })
    await session.call('weather', { town: 'Oslo' })

    await deleteTool(deps, workspaceId, toolId)
    expect(await session.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await listToolNames(session)).toEqual([])
    expect((await session.call('weather')).error).toMatchObject({ message: 'Unknown tool: weather' })
    session.close()
    const records = deps.db.selectFrom('tool_call').select('tool_name').where('call_id', '=', call.callId)
    expect(await records.execute()).toEqual([{ tool_name: 'weather' }])
    await expect(deleteTool(deps, workspaceId, toolId)).rejects.toMatchObject({ code: 'not_found' })
  })

  it("deletes a remote server, but not a built-in tool or another workspace's tool", async () => {
    const server = await remote('crm', 'find')
    const other = await seedWorkspace(deps)
    await expect(deleteTool(deps, other.workspaceId, server)).rejects.toMatchObject({
      code: 'not_found',
    })
    await deleteTool(deps, workspaceId, server)
    expect((await listTools(deps, workspaceId)).map(({ kind }) => kind)).not.toContain('remote_mcp')
    await expect(deleteTool(deps, workspaceId, await getToolId('contact_note'))).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('Turn the tool off'),
    })
    expect(await getToolId('contact_note')).toEqual(expect.any(Number))
  })
})

describe('assignment to an agent', () => {
  it('assigns a tool to each agent separately, and lists the agents that have it', async () => {
    const toolId = await getToolId('contact_note')
    const second = await seedAgent(deps, workspaceId)
    await assign(toolId)
    await assign(toolId)
    await assignTool(deps, workspaceId, second, toolId, {})
    await unassignTool(deps, workspaceId, agentId, toolId)

    const listed = await listTools(deps, workspaceId)
    expect(listed.find(({ id }) => id === toolId)?.agents).toEqual([second])
  })

  it("rejects a tool's configuration if it has unknown or missing fields, and names these fields", async () => {
    const toolId = await getToolId('contact_note')

    await expect(assign(toolId, { color: 'red' })).rejects.toMatchObject({
      status: 422,
      details: [{ field: 'config.color', code: 'unknown_field' }],
    })
    await expect(assign(await getToolId('spreadsheet_append'))).rejects.toMatchObject({
      status: 422,
      details: [{ field: 'config.spreadsheet_id', code: 'required' }],
    })
    await expect(assign(toolId, 'red')).rejects.toMatchObject({ status: 422, details: [{ field: 'config' }] })
  })

  it("accepts only the workspace's own spreadsheets, and a Google spreadsheet only if the workspace has a Google service account", async () => {
    const toolId = await getToolId('spreadsheet_append')
    const other = await seedWorkspace(deps)
    const columns = ['Name']
    const theirs = await createSpreadsheet(deps, other.workspaceId, { name: 'Theirs', columns })
    const fieldError = (sentence: string) => ({
      status: 422,
      message: expect.stringContaining(sentence),
      details: [{ field: 'config.spreadsheet_id', code: 'not_found' }],
    })

    for (const id of ['leads', theirs.id]) {
      await expect(assign(toolId, { spreadsheet_id: id })).rejects.toMatchObject(fieldError('no spreadsheet'))
    }
    const { id } = await createSpreadsheet(deps, workspaceId, { name: 'Leads', columns })
    await assign(toolId, { spreadsheet_id: id })
    const google = { spreadsheet_id: 'of-google', provider: 'google' }
    await expect(assign(toolId, google)).rejects.toMatchObject(fieldError('no Google service account'))
    await saveGoogleAccount(deps, workspaceId, createKeyFile())
    await assign(toolId, google)
  })

  it("returns not_found for another workspace's tools and agents", async () => {
    const toolId = await getToolId('contact_note')
    const other = await seedWorkspace(deps)
    await assign(toolId)
    const missing = { code: 'not_found' }

    await expect(assignTool(deps, other.workspaceId, other.agentId, toolId, {})).rejects.toMatchObject(
      missing,
    )
    await expect(assignTool(deps, workspaceId, other.agentId, toolId, {})).rejects.toMatchObject(missing)
    await expect(unassignTool(deps, other.workspaceId, agentId, toolId)).rejects.toMatchObject(missing)
    await expect(setToolActive(deps, other.workspaceId, toolId, false)).rejects.toMatchObject(missing)
    expect(await listToolNames(await open())).toEqual(['contact_note'])
  })
})

describe('conflicting tool names', () => {
  it('rejects a tool with the same full name as an assigned tool, even if the server and tool names differ', async () => {
    const first = await remote('crm', '_find')
    const second = await remote('crm_', 'find')
    await assign(first)
    await assign(first)

    await expect(assign(second)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('already has a tool named crm___find'),
      details: [{ field: 'tool_id', code: 'already_used' }],
    })
    await setToolActive(deps, workspaceId, first, false)
    await expect(assign(second)).rejects.toMatchObject({ code: 'validation_failed' })
    await unassignTool(deps, workspaceId, agentId, first)
    await assign(second)
  })

  it('if two tools with the same full name are assigned at the same time, accepts only one', async () => {
    const ids = await Promise.all([remote('crm', '_find'), remote('crm_', 'find')])

    const outcomes = await Promise.allSettled(ids.map((id) => assign(id)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
