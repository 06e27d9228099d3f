// cspell:ignore methd
import { beforeAll, expect, it, jest } from '@jest/globals'
import { admin as runAdmin } from '../support/admin.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { RemoteMcpServer } from '../support/remote-mcp-server.ts'
import { useTestDatabase } from '../support/world.ts'

jest.setTimeout(90_000)
const key = 'test-key-of-at-least-thirty-two-characters'
const database = useTestDatabase()
let workspaceArgs: string[]
let agentId: number
beforeAll(async () => {
  const seed = await seedWorkspace(testDeps(database.db))
  const { workspaceId } = seed
  agentId = seed.agentId
  workspaceArgs = ['--workspace', String(workspaceId)]
})

const admin = (args: string[], description?: unknown) =>
  runAdmin(
    [...args, ...workspaceArgs, '--json'],
    { DATABASE_URL: database.url, SECRET_KEY: key, ALLOW_LOOPBACK_WEBHOOKS: 'true' },
    JSON.stringify(description),
  )

const parseOutput = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

const rows = () =>
  database.db
    .selectFrom('mcp_tool')
    .select(['id', 'name', 'description', 'version', 'secrets'])
    .orderBy('id')
    .execute()

it('reads an HTTP tool and its secret from standard input, and adds, changes, and deletes the tool', async () => {
  const tool = {
    name: 'weather',
    description: 'The weather of a city.',
    method: 'GET',
    url: 'https://api.example.com/cities/{city}',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    headers: { authorization: 'Bearer {{secret.TOKEN}}' },
    secrets: { TOKEN: 'token-of-the-service' },
  }
  const { tool_id: id } = parseOutput(await admin(['add-http-tool'], tool))
  const changed = await admin(['edit-http-tool', '--tool', String(id)], { description: 'Another.' })
  expect(changed).toMatchObject({ code: 0, stderr: expect.stringContaining('Tool updated.') })
  expect(await rows()).toMatchObject([{ name: 'weather', description: 'Another.', version: 2 }])
  expect(JSON.stringify(await rows())).not.toContain('token-of-the-service')
  expect(await admin(['delete-tool', '--tool', String(id)])).toMatchObject({ code: 0 })
  expect(await rows()).toEqual([])
  const rejected = await admin(['add-http-tool'], { ...tool, name: 'other', url: 'https://10.0.0.1/' })
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('public URL') })
})

it('explains what is wrong with the JSON on standard input', async () => {
  const unread = await admin(['add-http-tool'])
  expect(unread).toMatchObject({ code: 2, stderr: expect.stringContaining("isn't valid JSON") })
  const wrong = await admin(['add-http-tool'], { name: 'a', methd: 'GET' })
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/JSON: .*methd/) })
})

it('adds a remote MCP server, refreshes its list of tools, and changes the selected tools', async () => {
  const server = new RemoteMcpServer('streamable')
  server.tools = [{ name: 'echo', inputSchema: { type: 'object' } }]
  await server.start()
  try {
    const { tool_id: id } = parseOutput(
      await admin(['add-remote-server'], { name: 'crm', description: 'The CRM.', url: server.url }),
    )
    server.tools = [{ name: 'write', inputSchema: { type: 'object' } }]
    const refreshed = parseOutput(await admin(['refresh-remote-server', '--tool', String(id)]))
    expect(refreshed).toEqual({ tools: [], dropped: ['echo'], others: ['write'] })
    const changed = await admin(['edit-remote-server', '--tool', String(id)], { tools: ['write'] })
    expect(changed).toMatchObject({ code: 0 })
  } finally {
    await server.stop()
  }
})

it('lists tools, and assigns, unassigns, and turns off a tool', async () => {
  const note = async () => {
    const { stdout } = await admin(['list-tools'])
    return (JSON.parse(stdout) as { id: number; name: string }[]).find(({ name }) => name === 'contact_note')
  }
  const listed = await note()
  expect(listed).toMatchObject({ kind: 'contact_note', active: true, agents: [] })
  const these = ['--agent', String(agentId), '--tool', String(listed?.id)]

  const wrong = await admin(['assign-tool', ...these, '--config', '{color'])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--config: must be JSON') })
  const rejected = await admin(['assign-tool', ...these, '--config', '{"color": "red"}'])
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('color') })
  expect(await admin(['assign-tool', ...these])).toMatchObject({ code: 0 })
  expect(await admin(['set-tool-active', '--tool', String(listed?.id), '--active', 'no'])).toMatchObject({
    code: 0,
  })
  expect(await note()).toMatchObject({ active: false, agents: [String(agentId)] })
  expect(await admin(['unassign-tool', ...these])).toMatchObject({ code: 0 })
  expect(await admin(['unassign-tool', ...these])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("isn't assigned to this agent"),
  })
})

it('adds a document for agents to search and a spreadsheet for agents to write to', async () => {
  const added = parseOutput(await admin(['add-document', '--title', 'Opening hours'], 'We open at nine.'))
  const empty = await admin(['add-document', '--title', 'Nothing'])
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('document text is empty') })
  const passages = database.db.selectFrom('knowledge_passage').select(['document_id', 'text'])
  expect(await passages.execute()).toEqual([{ document_id: added.document_id, text: '"We open at nine."' }])

  const columns = ['--column', 'name', '--column', 'result']
  const { spreadsheet_id: id } = parseOutput(
    await admin(['create-spreadsheet', '--name', 'Leads', ...columns]),
  )
  const sheets = database.db.selectFrom('spreadsheet').select(['id', 'name', 'columns'])
  expect(await sheets.execute()).toEqual([{ id, name: 'Leads', columns: ['name', 'result'] }])
  const none = await admin(['create-spreadsheet', '--name', 'Leads'])
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 100 columns') })
})
