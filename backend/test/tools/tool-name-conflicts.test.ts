import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { assignTool, unassignTool } from '../../tools/assignments.ts'
import { addRemoteServer, editRemoteServer, refreshRemoteServer } from '../../tools/save-remote-server.ts'
import { asSuperuser } from '../support/database.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { seedAgent, seedWorkspace } from '../support/factories.ts'
import { RemoteMcpServer } from '../support/remote-mcp-server.ts'
import { localConfig, readTool } from '../support/tools.ts'
import { waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// Two underscores join the names of a server and its tool. So crm + _find and crm_ + find result in the same name.

const database = useTestDatabase()
let deps: TestDeps
let server: RemoteMcpServer
beforeAll(async () => {
  deps = testDeps(database.db, { config: localConfig })
  server = new RemoteMcpServer('streamable')
  server.tools = ['find', '_find', 'list'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  await server.start()
})
afterAll(async () => {
  await server.stop()
})

let workspaceId: number
let ava: number
let ben: number
let crm: number
let other: number
beforeEach(async () => {
  ;({ workspaceId, agentId: ava } = await seedWorkspace(deps))
  ben = await seedAgent(deps, workspaceId, { name: 'Ben' })
  crm = await add('crm', ['_find'])
  other = await add('other', ['find', 'list'])
})

const add = async (name: string, tools: string[]) =>
  (
    await addRemoteServer(deps, workspaceId, {
      ...{ name, tools },
      description: 'A server.',
      url: server.url,
    })
  ).id

const assign = (agentId: number, toolId: number) => assignTool(deps, workspaceId, agentId, toolId, {})

const edit = (toolId: number, change: { name?: string; tools?: string[] }) =>
  editRemoteServer(deps, workspaceId, toolId, change)

const getToolName = async (toolId: number) => (await readTool(deps, workspaceId, 'remote_mcp', toolId)).name

it('rejects a server name that would give an agent two tools with the same name', async () => {
  for (const agent of [ava, ben]) for (const tool of [crm, other]) await assign(agent, tool)
  await expect(edit(other, { name: 'crm_' })).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('Ava, Ben (crm___find)'),
    details: [{ field: 'name', code: 'already_used' }],
  })
  expect(await getToolName(other)).toBe('other')

  await unassignTool(deps, workspaceId, ava, crm)
  await expect(edit(other, { name: 'crm_' })).rejects.toMatchObject({
    message: expect.stringContaining(': Ben (crm___find).'),
  })
  await unassignTool(deps, workspaceId, ben, crm)
  await edit(other, { name: 'crm_' })
  expect(await getToolName(other)).toBe('crm_')
})

it("rejects a choice of a server's tools that would give an agent two tools with the same name", async () => {
  await edit(other, { name: 'crm_', tools: ['list'] })
  for (const tool of [crm, other]) await assign(ava, tool)
  await expect(edit(other, { tools: ['find', 'list'] })).rejects.toMatchObject({
    message: expect.stringContaining('Ava (crm___find)'),
    details: [{ field: 'tools' }],
  })
  const { tools } = await refreshRemoteServer(deps, workspaceId, other)
  expect(tools).toEqual(['list'])
})

it('rejects a refresh of a server if an agent already has two tools with the same name', async () => {
  await assign(ava, crm)
  await edit(other, { name: 'crm_' })
  const past = { workspace_id: workspaceId, agent_id: ava, tool_id: other }
  await database.db.insertInto('widget_tool').values(past).execute()
  await expect(refreshRemoteServer(deps, workspaceId, other)).rejects.toMatchObject({
    message: expect.stringContaining('Ava (crm___find)'),
  })
})

it('rejects a server name that conflicts with a tool that is being assigned at the same time', async () => {
  await assign(ava, other)
  let renaming: Promise<unknown> | undefined
  await database.db.transaction().execute(async (db) => {
    await assignTool({ ...deps, db }, workspaceId, ava, crm, {})
    renaming = edit(other, { name: 'crm_' }).catch((error: unknown) => error)
    await waitUntil(async () => (await waiting()) > 0)
  })
  expect(await renaming).toMatchObject({ message: expect.stringContaining('Ava (crm___find)') })
})

/** Returns how many connections to this database are waiting for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await asSuperuser(database.db, (db) =>
    sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db),
  )
  return Number(rows[0]?.count)
}
