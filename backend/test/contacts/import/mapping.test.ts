import { beforeAll, expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { isOnDoNotCallList } from '../../../queue/calls/check-do-not-call.ts'
import { getColumnFields, getStat, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

const { world, startWorker, uploadFile, uploadAndCheck, waitUntilSettled, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

const getUses = (html: string) => getColumnFields(html).map(({ header, use }) => [header, use])

const isListed = ({ seed }: { seed: { workspaceId: number } }, number: string) =>
  isOnDoNotCallList(world.database.db, seed.workspaceId, number)

/** Returns the issue that the page shows next to a column. */
const getIssue = (html: string, index: number): string | undefined =>
  new RegExp(`id="f-use_${index}-issue">([^<]*)`).exec(html)?.[1]

it('shows the first values of each column, and guesses what the column contains', async () => {
  const user = await seedSignedInOwner(world.service)
  const long = 'x'.repeat(300)
  const { page } = await uploadFile(user, `Phone,Roof,Empty\n12,,\n34,<b>,\n56,${long},\n78,b,\n`)
  expect(getColumnFields(page.html)).toEqual([
    { header: 'Phone', field: 'use_0', use: 'phone_number', samples: ['12', '34', '56'] },
    { header: 'Roof', field: 'use_1', use: 'variable', samples: ['<b>', `${long.slice(0, 80)}…`, 'b'] },
    { header: 'Empty', field: 'use_2', use: 'variable', samples: [] },
  ])
})

it('requires a choice for each column that looks like consent or an opt-out, and keeps choices already made', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadFile(user, 'Phone,Opt In,Status,City\n+12025570101,No,New,Ghent\n')
  const { page: asked } = await user.browser.press(page, 'Check file', { use_3: 'ignore' })
  expect(asked.status).toBe(422)
  expect([0, 1, 2, 3].map((index) => getIssue(asked.html, index))).toEqual([
    undefined,
    'Choose what this column contains.',
    'Choose what this column contains.',
    undefined,
  ])
  expect(asked.text).toContain(
    '2 fields need attention Opt In: Choose what this column contains. Status: Choose what this column contains.',
  )
  expect(getUses(asked.html)[3]).toEqual(['City', 'ignore'])
  await user.browser.press(asked, 'Check file', { use_1: 'consent_given', use_2: 'variable' })
  expect((await waitUntilSettled(user, path)).text).toContain('Import 1 row')
})

it('rejects a mapping if no column has phone numbers, two columns have the same field, or a variable has no name', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadFile(user, 'Name,City,,Name\nAnn,Ghent,,Ann\n')
  const { page: asked } = await user.browser.press(page, 'Check file', {
    use_1: 'name',
    use_2: 'variable',
    use_3: 'variable',
  })
  expect(asked.text).toContain('No column contains phone numbers. Choose “Phone number” for at least one.')
  expect(getIssue(asked.html, 1)).toContain('The column “Name” is used for this, too.')
  expect(getIssue(asked.html, 2)).toContain('A variable needs a name')
})

it('if no header names a phone number, lets the user choose the phone column', async () => {
  const user = await seedSignedInOwner(world.service)
  const file = 'Who,Reach them here\nAnn,(202) 557-0101\n'
  const { path, page } = await uploadAndCheck(user, file, {
    'Reach them here': 'phone_number',
    Who: 'first_name',
  })
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(await listContacts(user)).toMatchObject([{ phone_number: '+12025570101', first_name: 'Ann' }])
})

it("if a file has no column names, imports its first row as a contact, and doesn't remember how the columns were used", async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadFile(user, 'Ann,(202) 557-0101\nBob,202-557-0102\n')
  expect(page.text).toContain("The first row looks like a contact, so it's imported as one")
  expect(getUses(page.html).map(([header]) => header)).toEqual(['Column 1', 'Column 2'])
  await user.browser.press(page, 'Check file', { use_0: 'first_name', use_1: 'phone_number' })
  await user.browser.press(await waitUntilSettled(user, path), 'Import contacts')
  await waitUntilSettled(user, path)
  expect((await listContacts(user)).map(({ first_name }) => first_name)).toEqual(['Ann', 'Bob'])
  const { page: next } = await uploadFile(user, 'Ghent,(202) 557-0103\n')
  expect(getUses(next.html)).toEqual([
    ['Column 1', 'variable'],
    ['Column 2', 'phone_number'],
  ])
})

it('if a file has no column names, guesses from the values what each column contains', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = ['Ann,+12025570101,ann@example.com,20261127', 'Bob,+1 202 557 0102,bob@example.com,20261128']
  const { page } = await uploadFile(user, rows.join('\n'))
  expect(getUses(page.html).map(([, use]) => use)).toEqual(['variable', 'phone_number', 'email', 'variable'])
})

it("keeps a file's own Reason column, and recognizes the columns and consent settings when rejected rows are uploaded again", async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone,Opt In,Reason\n12,Yes,moved\n+12025570101,No,\n', {
    'Opt In': 'consent_given',
    consent_source: 'Website form',
    consent_date: '2026-05-01',
    consent_kind: 'oral',
  })
  expect(page.text).toContain('Imported as variables: Reason.')
  const headers = { cookie: user.browser.cookies().join('; ') }
  const text = await (await fetch(user.urlFor(`${path}/rejected`), { headers })).text()
  expect(parse(text)).toMatchObject([
    ['Phone', 'Opt In', 'Reason', 'Outdial: Reason'],
    ['12', 'Yes', 'moved', expect.stringContaining("Phone: The phone number isn't valid")],
  ])
  const again = await uploadFile(user, text.replace('12,', '+12025570103,'))
  expect(again.page.text).toContain('You uploaded a file with these columns before')
  expect(getUses(again.page.html).map(([, use]) => use)).toEqual([
    'phone_number',
    'consent_given',
    'variable',
    'ignore',
  ])
  await user.browser.press(again.page, 'Check file')
  await user.browser.press(await waitUntilSettled(user, again.path), 'Import contacts')
  await waitUntilSettled(user, again.path)
  expect(await listContacts(user)).toMatchObject([
    { consent_source: 'Website form', consent_kind: 'oral', variables: { Reason: 'moved' } },
  ])
})

it("reuses a workspace's choices when it uploads a file with the same headers, without storing the headers", async () => {
  const user = await seedSignedInOwner(world.service)
  const choices = { Status: 'may_call', Work: 'phone_number', Phone: 'ignore' }
  await uploadAndCheck(user, 'Phone,Work,Status\n,+12025570101,Yes\n', choices)
  const { page } = await uploadFile(user, ' phone ;WORK;status\n+12025570102;;No\n')
  expect(getUses(page.html).map(([, use]) => use)).toEqual(['ignore', 'phone_number', 'may_call'])
  expect(page.text).toContain('You uploaded a file with these columns before')
  const other = await uploadFile(
    await seedSignedInOwner(world.service),
    'Phone,Work,Status\n,+12025570101,Yes\n',
  )
  expect(getUses(other.page.html).map(([, use]) => use)).toEqual(['phone_number', 'variable', ''])
  const stored = await world.database.db.selectFrom('contact_import_mapping').selectAll().execute()
  expect(JSON.stringify(stored)).not.toMatch(/"work"|status/i)
})

it('remembers the choices for at most 100 header rows per workspace, and forgets the ones used longest ago', async () => {
  const user = await seedSignedInOwner(world.service)
  const { workspaceId } = user.seed
  const { clock } = world.service.deps
  await world.database.db
    .insertInto('contact_import_mapping')
    .values(
      Array.from({ length: 100 }, (_, index) => ({
        workspace_id: workspaceId,
        headers_hash: Buffer.from([index]),
        columns: '[]',
        used_at: new Date(clock.now().getTime() - 1_000 - index),
      })),
    )
    .execute()
  await uploadAndCheck(user, 'Phone\n+12025570101\n')
  const hashes = await world.database.db
    .selectFrom('contact_import_mapping')
    .select('headers_hash')
    .where('workspace_id', '=', workspaceId)
    .execute()
  expect(hashes).toHaveLength(100)
  expect(hashes.some(({ headers_hash }) => headers_hash.equals(Buffer.from([99])))).toBe(false)
})

it("uses a row's first valid number in the chosen order of columns, and lists an invalid number that comes before it", async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Name,Work Phone,Phone,Mobile',
    'Ann,2025570101,2025570102,2025570103',
    'Bob,2025570104,12,',
    'Cy,,,x',
  ]
  const { path, page } = await uploadFile(user, rows.join('\n'))
  await user.browser.press(page, 'Check file')
  const checked = await waitUntilSettled(user, path)
  expect(checked.text).toMatch(
    /Imported rows to check .* 3 Phone The phone number isn't valid.* The number in “Work Phone” is used instead\./,
  )
  expect(checked.text).toMatch(/Skipped rows .* 4 Mobile The phone number isn't valid/)
  expect(checked.text).toMatch(/\+12025570102 United States Ann .*\+12025570104 United States Bob/)

  const { page: columns } = await user.browser.press(await user.open(`${path}/columns`), 'Check file', {
    rank_3: '1',
    rank_1: '2',
    rank_2: '3',
  })
  expect(columns.status).toBe(200)
  expect((await waitUntilSettled(user, path)).text).toMatch(/\+12025570103 United States Ann/)
})

it("if a row says not to call, puts all its numbers on the do-not-call list, and lists numbers that can't be read", async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,Mobile,May we call?,Note',
    '2025570101,2025570102 / 2025570103,No,a',
    '2025570104,12,no,b',
    '12,34,NO,c',
    '2025570105,,Yes,d',
  ]
  const { path, page } = await uploadAndCheck(user, rows.join('\n'), { 'May we call?': 'may_call' })
  const notBlocked =
    /Not blocked These people should not be called.* 3 Mobile Not blocked: .* 4 Phone Not blocked: .* 4 Mobile Not blocked: /
  expect(page.text).toMatch(notBlocked)
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(done.text).toMatch(notBlocked)
  expect(done.text).toContain('1 call queued, 2 not called (on the do-not-call list).')
  for (const last of [1, 2, 3, 4]) expect(await isListed(user, `+1202557010${last}`)).toBe(true)
  expect(await isListed(user, '+12025570105')).toBe(false)
})

it('lets the user change the columns of a checked file until its import has started', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone,City\n2025570101,Ghent\n')
  expect(page.text).toContain('Back to columns')
  await user.browser.press(await user.open(`${path}/columns`), 'Check file', { use_1: 'last_name' })
  const again = await waitUntilSettled(user, path)
  expect(getStat(again.html)).toMatchObject({ Rows: 1, 'New contacts': 1 })
  expect(again.text).toContain('Ghent')
  await user.browser.press(again, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(await listContacts(user)).toMatchObject([{ last_name: 'Ghent' }])
  expect((await user.open(`${path}/columns`)).text).toContain("The columns can't be changed now")
})

it('offers rejected rows as a file that can be corrected and uploaded again', async () => {
  const user = await seedSignedInOwner(world.service)
  const file =
    '=Phone,Name,City\n+12025570101,Ann,a\n12,=SUM(1),"b,c"\n+12025570102,Bob,d,more\n+19005550100,Cy,e\n'
  const { path, page } = await uploadAndCheck(user, file)
  expect(page.text).toContain('Download rejected rows')
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  await waitUntilSettled(user, path)
  const download = async (from: string) => {
    const headers = { cookie: user.browser.cookies().join('; ') }
    return (await fetch(user.urlFor(`${from}/rejected`), { headers })).text()
  }
  const text = await download(path)
  const records = parse(text, { relax_column_count: true })
  expect(records).toMatchObject([
    ["'=Phone", 'Name', 'City', 'Outdial: Reason'],
    ['12', "'=SUM(1)", 'b,c', expect.stringContaining("=Phone: The phone number isn't valid")],
    ["'+12025570102", 'Bob', 'd', expect.stringContaining('This row has 4 cells'), 'more'],
    ["'+19005550100", 'Cy', 'e', expect.stringContaining("doesn't call premium-rate")],
  ])
  const corrected = text.replace('12,', '+12025570103,')
  const again = await uploadAndCheck(user, corrected)
  expect(getStat(again.page.html)).toMatchObject({ Rows: 3, 'New contacts': 2, Errors: 1 })
  const [header] = parse(await download(again.path), { relax_column_count: true })
  expect(header).toEqual(["'=Phone", 'Name', 'City', 'Outdial: Reason'])
  await user.browser.press(again.page, 'Import contacts')
  await waitUntilSettled(user, again.path)
  expect((await listContacts(user)).map(({ first_name }) => first_name)).toEqual(
    expect.arrayContaining(['Ann', '=SUM(1)']),
  )
})
