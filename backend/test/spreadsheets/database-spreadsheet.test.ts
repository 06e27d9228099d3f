import { beforeAll, beforeEach, expect, it } from '@jest/globals'
import { assignTool } from '../../tools/assignments.ts'
import { spreadsheetAppend } from '../../tools/kinds/spreadsheet-append.ts'
import { saveGoogleAccount } from '../../tools/spreadsheets/google-account.ts'
import {
  createSpreadsheet,
  deleteSpreadsheet,
  exportSpreadsheet,
  listSpreadsheets,
} from '../../tools/spreadsheets/spreadsheets.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { type Seed, seedWorkspace } from '../support/factories.ts'
import { createAppendTool, createKeyFile } from '../support/spreadsheets.ts'
import { runTool } from '../support/tools.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
let deps: TestDeps
let seed: Seed
let workspaceId: number
let id: string

beforeAll(async () => {
  deps = testDeps(database.db)
})
beforeEach(async () => {
  seed = await seedWorkspace(deps)
  workspaceId = seed.workspaceId
  ;({ id } = await createSpreadsheet(deps, workspaceId, { name: 'Leads', columns: ['Name', ' Roof '] }))
})

const append = (values: unknown, more = {}) =>
  runTool(
    deps,
    spreadsheetAppend,
    createAppendTool(workspaceId),
    { values },
    { config: { spreadsheet_id: id }, ...more },
  )

async function appendTool(): Promise<number> {
  const tool = (await listTools(deps, workspaceId)).find(({ kind }) => kind === 'spreadsheet_append')
  return tool?.id ?? 0
}

async function csv(): Promise<string> {
  const { parts } = await exportSpreadsheet(deps, workspaceId, id)
  let text = ''
  for await (const part of parts) text += part
  return text
}

it('adds rows by column name and exports them in column order', async () => {
  expect(await append({ Roof: 'slate', Name: 'Ann' })).toEqual({
    text: 'Row added to the spreadsheet.',
    isError: false,
  })
  await append({ Name: '=1+1' })
  await append({ Roof: true, Name: 5 })
  expect(await csv()).toBe("Name,Roof\r\nAnn,slate\r\n'=1+1,\r\n5,true\r\n")
})

it('exports all 2,000 rows of a large spreadsheet in order', async () => {
  await deps.db
    .insertInto('spreadsheet_row')
    .values(
      Array.from({ length: 2_000 }, (_, index) => ({
        workspace_id: workspaceId,
        spreadsheet_id: id,
        cells: [`Row ${index}`, ''],
      })),
    )
    .execute()
  const lines = (await csv()).split('\r\n')
  expect(lines.slice(1, -1)).toEqual(Array.from({ length: 2_000 }, (_, index) => `Row ${index},`))
})

it('rejects a row with an unknown column, and lists the unknown and the known columns', async () => {
  const values = JSON.parse('{"Name": "Ann", "__proto__": "x", "Color": "red"}') as unknown
  expect(await append(values)).toMatchObject({ isError: true })
  expect(await append({ Name: 'Ann', Color: 'red' })).toEqual({
    text: 'The spreadsheet has no column "Color". Use these columns: "Name", "Roof".',
    isError: true,
  })
  expect(await csv()).toBe('Name,Roof\r\n')
})

it('on a test call, describes the row instead of adding it, and reports unknown columns', async () => {
  expect(await append({ Name: 'Ann', Roof: 'slate' }, { dryRun: true })).toEqual({
    text: 'Test call: nothing was changed. This row would have been added: Name: Ann, Roof: slate.',
    isError: false,
  })
  expect(await append({ Color: 'red' }, { dryRun: true })).toMatchObject({ isError: true })
  expect(await csv()).toBe('Name,Roof\r\n')
})

it("doesn't write to or export another workspace's spreadsheet", async () => {
  const other = await seedWorkspace(deps, 'Other')
  const theirs = await runTool(
    deps,
    spreadsheetAppend,
    createAppendTool(other.workspaceId),
    { values: { Name: 'x' } },
    {
      config: { spreadsheet_id: id },
    },
  )
  expect(theirs.isError).toBe(true)
  expect(theirs.text).toContain('no spreadsheet with this ID')
  await expect(exportSpreadsheet(deps, other.workspaceId, id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await csv()).toBe('Name,Roof\r\n')
})

it('lists the spreadsheets of a workspace with their number of rows', async () => {
  const other = await seedWorkspace(deps, 'Other')
  await createSpreadsheet(deps, other.workspaceId, { name: 'Theirs', columns: ['Name'] })
  const empty = await createSpreadsheet(deps, workspaceId, { name: 'Deals', columns: ['Name'] })
  await append({ Name: 'Ann' })
  await append({ Name: 'Ben' })
  const created_at = deps.clock.now()
  expect(await listSpreadsheets(deps, workspaceId)).toEqual([
    { id: empty.id, name: 'Deals', columns: ['Name'], rows: 0, created_at },
    { id, name: 'Leads', columns: ['Name', 'Roof'], rows: 2, created_at },
  ])
})

it("deletes a spreadsheet with its rows, unless an agent's tool writes to it", async () => {
  const toolId = await appendTool()
  const { agentId } = seed
  await assignTool(deps, workspaceId, agentId, toolId, { spreadsheet_id: id })
  await append({ Name: 'Ann' })
  await expect(deleteSpreadsheet(deps, workspaceId, id)).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringMatching(/^Agents write to this spreadsheet: Ava\. /),
  })
  expect(await csv()).toContain('Ann')

  await saveGoogleAccount(deps, workspaceId, createKeyFile())
  await assignTool(deps, workspaceId, agentId, toolId, { spreadsheet_id: id, provider: 'google' })
  await deleteSpreadsheet(deps, workspaceId, id)
  await expect(csv()).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteSpreadsheet(deps, workspaceId, id)).rejects.toMatchObject({ code: 'not_found' })
  const rows = deps.db.selectFrom('spreadsheet_row').selectAll().where('spreadsheet_id', '=', id)
  expect(await rows.execute()).toEqual([])
})

it('if a spreadsheet is assigned to an agent and deleted at the same time, completes only one of the two requests', async () => {
  const toolId = await appendTool()
  const columns = ['Name']
  for (let round = 0; round < 10; round += 1) {
    const sheet = await createSpreadsheet(deps, workspaceId, { name: `Round ${round}`, columns })
    const config = { spreadsheet_id: sheet.id }
    const outcomes = await Promise.allSettled([
      assignTool(deps, workspaceId, seed.agentId, toolId, config),
      deleteSpreadsheet(deps, workspaceId, sheet.id),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const rejected = outcomes.find(({ status }) => status === 'rejected')
    expect(rejected).toMatchObject({ reason: { code: 'validation_failed' } })
  }
})

it("doesn't delete another workspace's spreadsheet", async () => {
  const other = await seedWorkspace(deps, 'Other')
  await expect(deleteSpreadsheet(deps, other.workspaceId, id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await csv()).toBe('Name,Roof\r\n')
})

it.each([
  ['a blank name', { name: ' ', columns: ['A'] }, 'name'],
  ['no columns', { name: 'A', columns: [] }, 'columns'],
  ['too many columns', { name: 'A', columns: Array.from({ length: 101 }, String) }, 'columns'],
  ['a blank column', { name: 'A', columns: ['A', ''] }, 'columns'],
  ['a duplicate column', { name: 'A', columns: ['A', ' A'] }, 'columns'],
])('rejects a spreadsheet with %s', async (_what, input, field) => {
  const expectedError = { code: 'validation_failed', details: [{ field }] }
  await expect(createSpreadsheet(deps, workspaceId, input)).rejects.toMatchObject(expectedError)
})

it('accepts only an ID as spreadsheet_id, and stores rows in the database by default', () => {
  const { config } = spreadsheetAppend
  expect(config.parse({ spreadsheet_id: 'a-B_1' })).toEqual({ spreadsheet_id: 'a-B_1', provider: 'database' })
  expect(config.safeParse({ spreadsheet_id: 'https://docs.google.com/spreadsheets/d/a/edit' }).success).toBe(
    false,
  )
  expect(config.safeParse({ spreadsheet_id: '..' }).success).toBe(false)
})
