import { expect, it } from '@jest/globals'
import { assignTool } from '../../../tools/assignments.ts'
import { insertSpreadsheetRow } from '../../../tools/spreadsheets/spreadsheet-store.ts'
import { installBuiltInTools } from '../../../tools/tool-catalog.ts'
import { itInChromium } from '../../support/chromium.ts'
import {
  expectAccessible,
  openTab,
  seedSignedInMember,
  seedSignedInOwner,
  type SignedInUser,
} from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'
import { createKeyFile } from '../../support/spreadsheets.ts'

const world = useServiceWorld()

/** Creates a spreadsheet through the page, and returns the resulting page and the spreadsheet's ID. */
async function create({ browser, open }: SignedInUser, name = 'Visits', columns = 'Name\nWhat') {
  const { page } = await browser.press(await open('/spreadsheets/new'), 'Create spreadsheet', {
    name,
    columns,
  })
  return { page, id: new URL(page.url).pathname.split('/').at(-1) ?? '' }
}

const addRows = async (workspaceId: number, id: string, rows: string[][]) => {
  for (const cells of rows) {
    await insertSpreadsheetRow(world.database.db, workspaceId, id, {
      cells,
      createdAt: world.service.deps.clock.now(),
    })
  }
}

it('says what to do if there are no spreadsheets', async () => {
  const { open } = await seedSignedInOwner(world.service)
  expect((await open('/spreadsheets')).text).toContain('Create your first spreadsheet')
})

it('creates a spreadsheet with its columns, and lists it', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await create(user, 'Visits <b>', ' Name \r\n\r\nWhat & why\r\n')
  expect(page.text).toContain('Spreadsheet created')
  expect(page.html).toContain('<th scope="col">Name</th><th scope="col">What &amp; why</th>')
  const list = await user.open('/spreadsheets')
  expect(list.html).toContain('Visits &lt;b&gt;')
  expect(list.text).toContain('Name · What & why')
})

it.each([
  ['', 'Name', 'name', '1 to 200 characters'],
  ['Visits', '', 'columns', '1 to 100 columns'],
  ['Visits', 'Name\nName', 'columns', 'two columns named Name'],
])(
  'if the name is %j and the columns are %j, shows the issue next to the invalid field',
  async (name, columns, field, sentence) => {
    const user = await seedSignedInOwner(world.service)
    const { page } = await create(user, name, columns)
    expect(page.status).toBe(422)
    expect(new RegExp(`id="f-${field}-issue">([^<]*)<`).exec(page.html)?.[1]).toContain(sentence)
  },
)

it('shows rows as text, newest first, on several pages', async () => {
  const user = await seedSignedInOwner(world.service)
  const { id } = await create(user, 'Visits', 'Name')
  const names = Array.from({ length: 60 }, (_, index) => [`<i>Row ${index + 1}</i>`])
  await addRows(user.seed.workspaceId, id, names)
  const first = await user.open(`/spreadsheets/${id}`)
  const rowsOf = (html: string) => html.match(/&lt;i&gt;Row \d+&lt;/g) ?? []
  expect(rowsOf(first.html)).toHaveLength(50)
  expect(rowsOf(first.html)[0]).toBe('&lt;i&gt;Row 60&lt;')
  const next = /href="([^"]*before=\d+)"/.exec(first.html)?.[1] ?? ''
  const { page: second } = await user.browser.open(new URL(next, world.service.url).href)
  expect(rowsOf(second.html)).toHaveLength(10)
  expect(rowsOf(second.html).at(-1)).toBe('&lt;i&gt;Row 1&lt;')
})

it('downloads a spreadsheet as CSV with formulas escaped', async () => {
  const user = await seedSignedInOwner(world.service)
  const { id } = await create(user, 'Visits / May', 'Name\nSum')
  await addRows(user.seed.workspaceId, id, [['Alex, "Al"', '=1+1']])
  const { page } = await user.browser.open(user.urlFor(`/spreadsheets/${id}/csv`))
  expect(page.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(page.headers.get('content-disposition')).toBe('attachment; filename="Visits-May.csv"')
  expect(page.html).toBe(`Name,Sum\r\n"Alex, ""Al""",'=1+1\r\n`)
})

it('deletes a spreadsheet unless an agent writes to it', async () => {
  const user = await seedSignedInOwner(world.service)
  const { workspaceId, agentId } = user.seed
  const { page, id } = await create(user)
  await installBuiltInTools(world.service.deps, workspaceId)
  const tool = await world.database.db
    .selectFrom('mcp_tool')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'spreadsheet_append')
    .executeTakeFirstOrThrow()
  const config = { spreadsheet_id: id, provider: 'database' }
  await assignTool(world.service.deps, workspaceId, agentId, tool.id, config)
  const { page: rejected } = await user.browser.press(page, 'Delete spreadsheet')
  expect(rejected.text).toContain('Agents write to this spreadsheet: Ava')
  expect(rejected.text).toContain('Agents that add rows: Ava')
  await world.database.db.deleteFrom('widget_tool').where('tool_id', '=', tool.id).execute()
  const { page: list } = await user.browser.press(rejected, 'Delete spreadsheet')
  expect(list.text).toContain('Spreadsheet and rows deleted')
  expect(list.text).toContain('No spreadsheets yet')
})

it('saves a Google account, never shows its key, and removes the account', async () => {
  const user = await seedSignedInOwner(world.service)
  const pasted = createKeyFile('visits@acme.iam.gserviceaccount.com')
  const form = await user.open('/spreadsheets/google')
  const { page: saved } = await user.browser.press(form, 'Save account', { google_account: pasted })
  expect(saved.text).toContain('Share each spreadsheet with visits@acme.iam.gserviceaccount.com')
  for (const path of ['/spreadsheets', '/spreadsheets/google']) {
    const { html } = await user.open(path)
    expect(html).toContain('visits@acme.iam.gserviceaccount.com')
    expect(html).not.toContain('PRIVATE KEY')
  }
  const { page: removed } = await user.browser.press(saved, 'Remove account')
  expect(removed.text).toContain('Google service account removed')
  expect(removed.text).not.toContain('visits@acme')
})

it("rejects an invalid Google key file, and doesn't show its content again", async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/spreadsheets/google')
  const fields = { google_account: createKeyFile('no address') }
  const { page } = await user.browser.press(form, 'Save account', fields)
  expect(page.status).toBe(422)
  expect(page.html).toMatch(/id="f-google_account-issue">This isn&#39;t a Google service account key file/)
  expect(page.html).not.toContain('PRIVATE KEY')
})

it('lets only owners change the Google account', async () => {
  const owner = await seedSignedInOwner(world.service)
  const form = await owner.open('/spreadsheets/google')
  await owner.browser.press(form, 'Save account', { google_account: createKeyFile() })
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  expect((await member.open('/spreadsheets/google')).status).toBe(403)
  const list = await member.open('/spreadsheets')
  expect(list.text).not.toContain('Remove account')
  const remove = new URL(member.urlFor('/spreadsheets/google/remove')).pathname
  const forged = { ...list, html: list.html.replace('action="/sign-out"', `action="${remove}"`) }
  expect((await member.browser.press(forged, 'Sign out')).page.status).toBe(403)
  expect((await owner.open('/spreadsheets')).text).toContain('sheets@acme.iam.gserviceaccount.com')
})

it("doesn't show, download, or delete another workspace's spreadsheet", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  const { id } = await create(theirs)
  const ownSpreadsheet = await create(mine)
  expect((await mine.open(`/spreadsheets/${id}`)).status).toBe(404)
  expect((await mine.open(`/spreadsheets/${id}/csv`)).status).toBe(404)
  expect((await mine.open('/spreadsheets/none')).status).toBe(404)
  const forged = {
    ...ownSpreadsheet.page,
    html: ownSpreadsheet.page.html.replaceAll(`${ownSpreadsheet.id}/delete`, `${id}/delete`),
  }
  await mine.browser.press(forged, 'Delete spreadsheet')
  expect((await theirs.open(`/spreadsheets/${id}`)).status).toBe(200)
})

itInChromium(
  'lets the user create and download a spreadsheet and add a Google account in the browser, on accessible pages',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor('/knowledge'))
    await tab
      .getByRole('navigation', { name: 'Knowledge' })
      .getByRole('link', { name: 'Spreadsheets' })
      .click()
    await tab.getByRole('heading', { name: 'Spreadsheets', exact: true }).waitFor()
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'New spreadsheet' }).click()
    await tab.getByLabel('Name').fill('Visits')
    await tab.getByLabel('Columns').fill('Who\nWhen')
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Create spreadsheet' }).click()
    await tab.getByRole('columnheader', { name: 'When' }).waitFor()
    const id = new URL(tab.url()).pathname.split('/').at(-1) ?? ''
    await addRows(user.seed.workspaceId, id, [['Alex', 'Monday']])
    await tab.reload()
    await tab.getByRole('cell', { name: 'Alex' }).waitFor()
    await expectAccessible(tab)
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('link', { name: 'Download CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Visits.csv')

    await tab.goto(user.urlFor('/spreadsheets'))
    await tab.getByRole('link', { name: 'Add service account' }).click()
    await tab.getByLabel('Key file').fill('{}')
    await tab.getByRole('button', { name: 'Save account' }).click()
    await tab.locator('.issue', { hasText: "This isn't a Google service account key file" }).waitFor()
    await expectAccessible(tab)
    await tab.getByLabel('Key file').fill(createKeyFile())
    await tab.getByRole('button', { name: 'Save account' }).click()
    await tab.getByText('Google service account saved').waitFor()
    await expectAccessible(tab)
    expect(consoleErrors.filter((text) => !text.includes('422'))).toEqual([])
  },
)
