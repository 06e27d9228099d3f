import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, jest } from '@jest/globals'
import { insertSpreadsheetRow } from '../../tools/spreadsheets/spreadsheet-store.ts'
import { createSpreadsheet } from '../../tools/spreadsheets/spreadsheets.ts'
import { admin as runAdmin } from '../support/admin.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestFolder } from '../support/folder.ts'
import { createKeyFile } from '../support/spreadsheets.ts'
import { useTestDatabase } from '../support/world.ts'

jest.setTimeout(90_000)
const key = 'test-key-of-at-least-thirty-two-characters'
const database = useTestDatabase()
const folder = useTestFolder()
let deps: TestDeps
let workspaceId: number
let id: string
beforeAll(async () => {
  deps = testDeps(database.db)
  workspaceId = (await seedWorkspace(deps)).workspaceId
  id = (await createSpreadsheet(deps, workspaceId, { name: 'Leads', columns: ['Name', 'Note'] })).id
  for (const cells of [
    ['Ann', '=1+1'],
    ['Zoë', 'a, b'],
  ]) {
    await insertSpreadsheetRow(database.db, workspaceId, id, { cells, createdAt: deps.clock.now() })
  }
})

const admin = (args: string[], input = '') =>
  runAdmin(
    [...args, '--workspace', String(workspaceId)],
    { DATABASE_URL: database.url, SECRET_KEY: key },
    input,
  )

const csv = 'Name,Note\r\nAnn,\'=1+1\r\nZoë,"a, b"\r\n'

it('lists spreadsheets and exports one as CSV to standard output or a file', async () => {
  const listed = await admin(['list-spreadsheets', '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, name: 'Leads', columns: ['Name', 'Note'], rows: 2 }])
  expect(await admin(['export-spreadsheet', '--id', id])).toEqual({ code: 0, stdout: csv, stderr: '' })

  const file = join(folder.path, 'leads.csv')
  const written = await admin(['export-spreadsheet', '--id', id, '--to', file])
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Spreadsheet Leads exported to ${file}.\n` })
  expect(await readFile(file, 'utf8')).toBe(csv)
})

it('explains why an export fails', async () => {
  const nowhere = await admin([
    'export-spreadsheet',
    '--id',
    id,
    '--to',
    join(folder.path, 'none', 'leads.csv'),
  ])
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/can't write .* \(ENOENT\)/) })
  const unknown = await admin(['export-spreadsheet', '--id', 'leads', '--to', join(folder.path, 'other.csv')])
  expect(unknown).toMatchObject({
    code: 1,
    stderr:
      'This workspace has no spreadsheet with this ID. To see its spreadsheets, open the Spreadsheets page or run list-spreadsheets.\n',
  })
  await expect(readFile(join(folder.path, 'other.csv'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('accepts an ID that begins with a hyphen', async () => {
  const result = await admin(['delete-spreadsheet', '--id', '-unknown'])
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('no spreadsheet with this ID') })
})

it('deletes a spreadsheet', async () => {
  const columns = ['A']
  const old = await createSpreadsheet(deps, workspaceId, { name: 'Old', columns })
  expect(await admin(['delete-spreadsheet', '--id', old.id])).toMatchObject({ code: 0 })
  expect(await admin(['delete-spreadsheet', '--id', old.id])).toMatchObject({ code: 1 })
})

it('saves a Google service account from a file or standard input, and shows its email but not its key', async () => {
  const file = join(folder.path, 'key.json')
  await writeFile(file, createKeyFile('one@acme.iam.gserviceaccount.com'))
  const first = await admin(['set-google-account', '--file', file, '--json'])
  expect(JSON.parse(first.stdout)).toEqual({ client_email: 'one@acme.iam.gserviceaccount.com' })

  const second = await admin(['set-google-account'], createKeyFile('two@acme.iam.gserviceaccount.com'))
  expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('Share spreadsheets with two@') })
  const listed = await admin(['list-spreadsheets'])
  expect(listed.stderr).toContain('two@acme.iam.gserviceaccount.com')
  for (const { stdout, stderr } of [first, second, listed]) expect(stdout + stderr).not.toContain('PRIVATE')

  expect(await admin(['remove-google-account'])).toMatchObject({ code: 0 })
  expect(await admin(['remove-google-account'])).toMatchObject({
    code: 1,
    stderr:
      'This workspace has no Google service account. Add one under Spreadsheets, or with set-google-account.\n',
  })
})

it('rejects an invalid key file without printing its contents', async () => {
  const wrong = await admin(['set-google-account'], '{"private_key": "not-a-key"}')
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Google service account key file'),
  })
  expect(wrong.stderr).not.toContain('not-a-key')
  const missing = await admin(['set-google-account', '--file', join(folder.path, 'none.json')])
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/can't read .* \(ENOENT\)/) })
})
