import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { assignTool, getConfigSchema, listAssignments } from '../../tools/assignments.ts'
import { toolKinds } from '../../tools/kind-registry.ts'
import { addHttpTool, type HttpToolInput } from '../../tools/save-http-tool.ts'
import { removeGoogleAccount, saveGoogleAccount } from '../../tools/spreadsheets/google-account.ts'
import { createSpreadsheet } from '../../tools/spreadsheets/spreadsheets.ts'
import { getTool, installBuiltInTools, listTools, setToolActive } from '../../tools/tool-catalog.ts'
import { insertTool } from '../../tools/tool-store.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { createKeyFile } from '../support/spreadsheets.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
let deps: TestDeps
let workspaceId: number
let agentId: number
beforeAll(async () => {
  deps = testDeps(database.db)
})
beforeEach(async () => {
  ;({ workspaceId, agentId } = await seedWorkspace(deps))
  await installBuiltInTools(deps, workspaceId)
})

const weather: HttpToolInput = {
  name: 'weather',
  description: 'The weather of a city.',
  method: 'GET',
  url: 'https://weather.example.com/{city}?key={{secret.KEY}}',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  headers: { authorization: 'Bearer {{secret.TOKEN}}' },
  secrets: { TOKEN: 'token-of-the-service', KEY: 'key-of-the-service' },
}

const getToolId = async (name: string): Promise<number> =>
  (await listTools(deps, workspaceId)).find((tool) => tool.name === name)?.id ?? 0

const assign = async (name: string, config: object = {}) =>
  assignTool(deps, workspaceId, agentId, await getToolId(name), config)

const missing = { code: 'not_found' }

describe("a tool's details", () => {
  it('include its settings, agents, and secret names, but never a secret', async () => {
    const { id } = await addHttpTool(deps, workspaceId, weather)
    await assign('weather')
    await setToolActive(deps, workspaceId, id, false)

    const listed = (await listTools(deps, workspaceId)).find((tool) => tool.id === id)
    const expected = {
      ...{ id, kind: 'http', name: 'weather', description: weather.description, isActive: false },
      settings: { method: 'GET', url: weather.url, headers: weather.headers },
      agents: [agentId],
    }
    expect(listed).toEqual(expected)
    const tool = await getTool(deps, workspaceId, id)
    const { name, description, inputSchema } = weather
    const definitions = [{ name, description, inputSchema }]
    expect(tool).toEqual({ ...expected, definitions, effects: [], secretNames: ['KEY', 'TOKEN'] })
    expect(JSON.stringify([listed, tool])).not.toContain('of-the-service')
  })

  it('have the description and schema of this Outdial version if the tool is built in', async () => {
    const tool = await getTool(deps, workspaceId, await getToolId('contact_note'))
    const definition = toolKinds.get('contact_note')?.builtIn
    expect(tool).toMatchObject({ description: definition?.description, definitions: [definition] })
    expect(tool.secretNames).toEqual([])
    expect(tool.effects).toEqual(['contact_note'])
  })

  it("are marked unreadable if the tool's settings can't be read, but the tool is still listed", async () => {
    const values = { name: 'crm', description: 'A server.', inputSchema: {}, settings: { tools: 7 } }
    const row = { ...values, secrets: null, createdAt: deps.clock.now() }
    const toolId = (await insertTool(database.db, workspaceId, 'remote_mcp', row))?.id ?? 0
    expect(await getTool(deps, workspaceId, toolId)).toMatchObject({ definitions: 'unreadable' })
    expect((await listTools(deps, workspaceId)).map(({ name }) => name)).toContain('crm')
  })

  it("aren't found from another workspace or for a missing tool", async () => {
    const other = await seedWorkspace(deps)
    const toolId = await getToolId('contact_note')
    await expect(getTool(deps, other.workspaceId, toolId)).rejects.toMatchObject(missing)
    await expect(getTool(deps, workspaceId, 999_999)).rejects.toMatchObject(missing)
  })
})

describe('the tools of an agent', () => {
  it('are listed by name with their configuration, including tools that are turned off', async () => {
    const { id } = await createSpreadsheet(deps, workspaceId, { name: 'Leads', columns: ['Name'] })
    await assign('spreadsheet_append', { spreadsheet_id: id })
    await assign('contact_note')
    await setToolActive(deps, workspaceId, await getToolId('contact_note'), false)

    expect(await listAssignments(deps, workspaceId, agentId)).toMatchObject([
      { tool: { name: 'contact_note', isActive: false }, config: {}, issues: [] },
      {
        tool: { name: 'spreadsheet_append', kind: 'spreadsheet_append', isActive: true },
        config: { spreadsheet_id: id, provider: 'database' },
        issues: [],
      },
    ])
  })

  it('include the issues of a configuration that is no longer valid', async () => {
    await saveGoogleAccount(deps, workspaceId, createKeyFile())
    await assign('spreadsheet_append', { spreadsheet_id: 'of-google', provider: 'google' })
    const listIssues = async () => {
      const [assignment] = await listAssignments(deps, workspaceId, agentId)
      return assignment?.issues
    }
    expect(await listIssues()).toEqual([])
    await removeGoogleAccount(deps, workspaceId)
    expect(await listIssues()).toMatchObject([
      { field: 'config.spreadsheet_id', message: expect.stringContaining('no Google service account') },
    ])

    const stale = JSON.stringify({ sheet: 'Leads', spreadsheet_id: 'https://docs.google.com/' })
    await database.db.updateTable('widget_tool').set({ config: stale }).execute()
    expect(await listIssues()).toMatchObject([
      { field: 'config.spreadsheet_id', message: expect.stringContaining('between /d/ and /edit') },
      { field: 'config.sheet', code: 'unknown_field' },
    ])
  })

  it("aren't found from another workspace or for a missing agent", async () => {
    const other = await seedWorkspace(deps)
    await expect(listAssignments(deps, other.workspaceId, agentId)).rejects.toMatchObject(missing)
    await expect(listAssignments(deps, workspaceId, 999_999)).rejects.toMatchObject(missing)
  })
})

describe.each([...toolKinds.values()])('the assignment form of $kind', ({ kind, config }) => {
  const schema = getConfigSchema(kind)
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)

  it('has a title and description for each field, and a title for each value of a choice', () => {
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    const words = expect.stringMatching(/^[A-Z].*[a-z]/)
    for (const [, field] of fields) {
      expect(field).toMatchObject({ title: words, description: words })
      const values = (field.enum ?? []) as unknown[]
      const titled = ((field.oneOf ?? []) as { const: unknown; title: string }[]).map((one) => one.const)
      expect(titled).toEqual(values)
    }
  })

  it('accepts exactly the configurations that the tool accepts', () => {
    const takes = new Ajv2020({ strict: false }).compile(schema)
    const attempts = [
      {},
      { spreadsheet_id: 'a-B_1' },
      { spreadsheet_id: 'a', provider: 'google' },
      { spreadsheet_id: 'a', provider: 'excel' },
      { spreadsheet_id: '..' },
      { color: 'red' },
      'red',
    ]
    for (const attempt of attempts) expect(takes(attempt)).toBe(config.safeParse(attempt).success)
  })
})
