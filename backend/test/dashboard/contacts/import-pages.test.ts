// cspell:ignore Müller
import { beforeAll, expect, it } from '@jest/globals'
import { isPlaceholder } from '@outdial/reading'
import { parse } from 'csv-parse/sync'
import { timeZoneCases } from '../../../../test/support/time-zone-cases.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import { startExpirationJob } from '../../../privacy/delete-expired.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { findDoNotCallEntry } from '../../../queue/calls/check-do-not-call.ts'
import { seedCall } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { getStat, upload, useImportWorld } from '../../support/contact-imports.ts'
import { expectAccessible, openTab, seedSignedInOwner, type SignedInUser } from '../../support/dashboard.ts'
import { waitFor } from '../../support/wait.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

const fetchFile = async ({ browser, urlFor }: SignedInUser, path: string) => {
  const response = await fetch(urlFor(path), { headers: { cookie: browser.cookies().join('; ') } })
  return { headers: response.headers, text: await response.text() }
}

it('before an import, shows how many contacts it will add and update, and the issues of its rows', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, '+12025570101')
  await seedCall(world.service.deps, user.seed, '+12025570102', { do_not_call: true })
  const { page } = await uploadAndCheck(
    user,
    [
      'First name,Mobile,Email,Roof,Time zone',
      'Ann,(202) 557-0103,ann@example.com,slate,America/Denver',
      'Bob,202 557 0101,,,',
      'Cy,+1 202 557 0102,,tin,',
      '',
      'Dee,12,,,Mars/Base',
      '"Eve\nEvans",+12025570104,eve@,,Mars/Base',
      'Fay,+12025570103,,,',
      'Gus,+12025570105,,,,more',
    ].join('\r\n'),
  )
  expect(getStat(page.html)).toMatchObject({
    Rows: 7,
    'New contacts': 1,
    Updates: 2,
    Duplicates: 1,
    Errors: 3,
    'Already on do-not-call list': 1,
  })
  expect(page.text).toContain('Imported as variables: Roof.')
  for (const message of [
    /6 Mobile The phone number isn't valid/,
    /6 Time zone This field isn't a valid time zone/,
    /7 Email /,
    /7 Time zone This field isn't a valid time zone/,
    /8 Mobile Duplicate of row 2\. This row is skipped/,
    /9 – This row has 6 cells, but the file has 5 columns/,
  ]) {
    expect(page.text).toMatch(message)
  }
  expect(await listContacts(user)).toHaveLength(2)
})

it('imports the checked rows, and queues calls except to numbers on the do-not-call list', async () => {
  const user = await seedSignedInOwner(world.service)
  const { browser, seed } = user
  await seedCall(world.service.deps, seed, '+12025570101', { last_name: 'Old', variables: { roof: 'tin' } })
  await seedCall(world.service.deps, seed, '+12025570102', { do_not_call: true })
  const rows = ['Phone;Name;city', '+12025570101;Ann Lee;Ghent', '+12025570102;Bob;', '+12025570103;;']
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  const fields = { campaign_id: String(seed.campaignId) }
  const sent = await Promise.all([
    browser.press(page, 'Import contacts', fields),
    browser.press(page, 'Import contacts', fields),
  ])
  expect(sent.map(({ page: { status } }) => status)).toEqual([200, 200])
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain('3 of 3 rows processed: 1 new, 2 updated.')
  expect(done.text).toContain(
    '1 call queued, 1 already waiting or in progress, 1 not called (on the do-not-call list).',
  )
  expect(await listContacts(user)).toMatchObject([
    { first_name: 'Ann', last_name: 'Lee', variables: { roof: 'tin', city: 'Ghent' } },
    { first_name: 'Bob', last_name: null, variables: {} },
    { phone_number: '+12025570103', first_name: null },
  ])
  const again = await browser.press(page, 'Import contacts', { campaign_id: '' })
  expect(again.page.text).toContain('This import was already started.')
  const calls = await world.database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls).toHaveLength(3)
})

it('before and after an import, counts the rows that say not to call and those with a number already on the do-not-call list', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, '+12025570102', { do_not_call: true })
  const rows = ['Phone,Do not call', '+12025570101,yes', '+12025570102,', '+12025570103,no']
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  expect(getStat(page.html)).toMatchObject({
    "Rows that say don't call": 1,
    'Already on do-not-call list': 1,
  })
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(getStat(done.html)).toMatchObject({
    "Rows that say don't call": 1,
    'Already on do-not-call list': 1,
  })
  expect(done.text).toContain('2 not called (on the do-not-call list).')
})

it('reads a phone number with the country in its row, which can be a name, a two-letter code, or a calling code', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(
    user,
    [
      'First name,Country Code,Phone,Country/Region',
      'Ash,91,9145550313,',
      'Bel,+91,9145550314,India',
      'Cam,,55 1234 5678,Mexico',
      'Dee,in,91455 50311,India',
      'Eve,1,4165550125,Canada',
      'Fay,,2025570130,',
      'Gus,,2025570131,USA',
      'Hal,Atlantis,+12025570132,',
    ].join('\n'),
  )
  expect(getStat(page.html)).toMatchObject({ Rows: 8, Errors: 0 })
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(
    (await listContacts(user)).map(({ first_name, phone_number, variables }) => [
      first_name,
      phone_number,
      variables,
    ]),
  ).toEqual([
    ['Fay', '+12025570130', {}],
    ['Gus', '+12025570131', {}],
    ['Hal', '+12025570132', { country: 'Atlantis' }],
    ['Eve', '+14165550125', { country: 'Canada' }],
    ['Cam', '+525512345678', { country: 'Mexico' }],
    ['Dee', '+919145550311', { country: 'India' }],
    ['Ash', '+919145550313', {}],
    ['Bel', '+919145550314', { country: 'India' }],
  ])
})

it('if a row says not to call, adds all its numbers to the do-not-call list, or reports that no number was found', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(
    user,
    [
      'First name,Phone,Do not call',
      'Ann,"(202) 557-0150 ext 5, +1 202 557 0151",yes',
      'Bob,555-0197,yes',
      'Cy,"+12025570152, +12025570153",no',
      'Ann,"+12025570150, +12025570154",yes',
    ].join('\n'),
  )
  expect(getStat(page.html)).toMatchObject({ Rows: 4, Errors: 2 })
  expect(page.text).toMatch(/3 Phone Not blocked: No phone number was found\./)
  expect(page.text).toMatch(/4 Phone There is more than one phone number\. Enter only one phone number\./)
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(await listContacts(user)).toMatchObject([{ first_name: 'Ann', phone_number: '+12025570150' }])
  for (const number of ['+12025570150', '+12025570151', '+12025570154'])
    expect(await findDoNotCallEntry(world.database.db, user.seed.workspaceId, number)).toBeDefined()
})

it("if any row says not to call a number, doesn't call it, even if an earlier row has the same number", async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(
    user,
    [
      'First name,Phone,Unsubscribed',
      'Ann,+12025570160,',
      'Bob,+12025570161,',
      'Ann,(202) 557-0160,x',
      'Bea,"+12025570162 / +12025570161",x',
      'Ann,202-557-0160,x',
    ].join('\n'),
    { Unsubscribed: 'do_not_call' },
  )
  expect(getStat(page.html)).toMatchObject({ Rows: 5, Duplicates: 1 })
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain('4 not called (on the do-not-call list).')
  const calls = await world.database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  expect(calls).toEqual([])
})

it("reports a row whose country is unknown or contradictory instead of guessing the number's country", async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadAndCheck(
    user,
    [
      'Country,Phone,Country Code',
      'Atlantis,2025570140,',
      'India,2025570141,1',
      ',2025570142,999',
      'Congo,2025570143,',
      'AQ,2025570144,',
      'Atlantis,55 1234 5678,1',
    ].join('\n'),
  )
  expect(getStat(page.html)).toMatchObject({ Rows: 6, Errors: 6 })
  for (const message of [
    /2 Country “Atlantis” isn't a known country\. Enter its two-letter code, for example US, or add the country code to the phone number\./,
    /3 Country “India” and “1” are different countries\. Correct one, or add the country code to the phone number\./,
    /4 Country Code “999” isn't a known country\./,
    /5 Country “Congo” isn't a known country\./,
    /6 Country AQ isn't a supported country code\./,
    /7 Country “Atlantis” isn't a known country\./,
  ])
    expect(page.text).toMatch(message)
})

it('reports an invalid consent or do-not-call value as an error instead of reading it as “no”', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadAndCheck(
    user,
    [
      'Phone,Do not call,Consent source,Consent date',
      '+12025570120,maybe,,',
      '+12025570121,,Form,',
      '+12025570122,,,2026-05-01',
      '+12025570123,,Form,2026-02-30',
      '+12025570124,,Form,soon',
      '1.20256E+10,perhaps,Form,',
      '+12025570125,,No,2026-05-01',
      '+12025570126,,Form,2099-05-01',
    ].join('\n'),
  )
  expect(getStat(page.html)).toMatchObject({ Rows: 8, Errors: 8 })
  for (const message of [
    /2 Do not call “maybe” isn't recognized\. Enter Yes or No\./,
    /3 Consent source The consent date is missing\./,
    /4 Consent date The consent source is missing\./,
    /5 Consent date This date doesn't exist\./,
    /6 Consent date This isn't a valid date\./,
    /7 Phone The phone number isn't valid/,
    /7 Do not call “perhaps” isn't recognized/,
    /7 Consent source The consent date is missing/,
    /8 Consent source “No” doesn't say where the person agreed to be called\./,
    /9 Consent date This date is in the future\. Check the year\./,
  ]) {
    expect(page.text).toMatch(message)
  }
})

it('adds a number to the do-not-call list if any opt-out column about calls says so, but not if only an email opt-out does', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,DNC,Has opted out of calls,Unsubscribed (phone),Email opt-out',
    '+12025570150,No,Yes,,No',
    '+12025570151,,,x,No',
    '+12025570152,No,,no,Yes',
    '+12025570153,No,last week,,No',
  ]
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  expect(getStat(page.html)).toMatchObject({ Rows: 4, Errors: 1 })
  expect(page.text).toMatch(/5 Has opted out of calls “last week” isn't recognized\. Enter Yes or No\./)
  await user.browser.press(page, 'Import contacts', { campaign_id: '' })
  await waitUntilSettled(user, path)
  const isListed = async (number: string) =>
    (await user.open(`/contacts/do-not-call?number=%2B${number}`)).text.includes(
      'has been on the do-not-call list',
    )
  expect(await isListed('12025570150')).toBe(true)
  expect(await isListed('12025570151')).toBe(true)
  expect(await isListed('12025570152')).toBe(false)
})

it('reads common spellings of yes and no, dates without a time, and names of time zones', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,Do not call,Consent source,Consent date,Time zone',
    '+12025570130,Opt-out,Form,2026-05-01,Pacific Time',
    '+12025570131,No,Form,2026-05-01 09:30,US/Eastern',
    '+12025570132,-,,,EST',
    '+12025570133,DNC,,,Europe/Berlin',
  ]
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  expect(getStat(page.html)).toMatchObject({ Rows: 4, Errors: 0 })
  await user.browser.press(page, 'Import contacts', { campaign_id: '' })
  await waitUntilSettled(user, path)
  // The file's times are in New York, the workspace's time zone.
  expect(await listContacts(user)).toMatchObject([
    {
      consent_source: 'Form',
      consent_at: new Date('2026-05-01T04:00:00Z'),
      time_zone: 'America/Los_Angeles',
    },
    { consent_source: 'Form', consent_at: new Date('2026-05-01T13:30:00Z'), time_zone: 'America/New_York' },
    { consent_source: null, time_zone: 'America/New_York' },
    { time_zone: 'Europe/Berlin' },
  ])
  const isListed = async (number: string) =>
    (await user.open(`/contacts/do-not-call?number=%2B${number}`)).text.includes(
      'has been on the do-not-call list',
    )
  expect(await isListed('12025570130')).toBe(true)
  expect(await isListed('12025570131')).toBe(false)
  expect(await isListed('12025570132')).toBe(false)
  expect(await isListed('12025570133')).toBe(true)
})

it('reads and rejects the same spellings of time zones as Zaps and the API', async () => {
  const user = await seedSignedInOwner(world.service)
  const uploadCases = (cases: typeof timeZoneCases) => {
    const rows = cases.map(({ text, phoneNumber }) => `${phoneNumber},"${text}"`)
    return uploadAndCheck(user, ['Phone,Time zone', ...rows].join('\n'))
  }
  const readable = timeZoneCases.filter(({ timeZone }) => timeZone !== undefined)
  const { path, page } = await uploadCases(readable)
  expect(getStat(page.html)).toMatchObject({ Rows: readable.length, Errors: 0 })
  await user.browser.press(page, 'Import contacts', { campaign_id: '' })
  await waitUntilSettled(user, path)
  const contacts = await listContacts(user)
  const saved = new Map(contacts.map((contact) => [contact.phone_number, contact.time_zone]))
  expect(readable.map(({ text, phoneNumber }) => [text, saved.get(phoneNumber)])).toEqual(
    readable.map(({ text, timeZone }) => [text, timeZone]),
  )

  // A blank cell isn't an error.
  const unreadable = timeZoneCases.filter(
    ({ text, timeZone }) => timeZone === undefined && !isPlaceholder(text),
  )
  const { page: rejected } = await uploadCases(unreadable)
  expect(getStat(rejected.html)).toMatchObject({ Rows: unreadable.length, Errors: unreadable.length })
})

it('rejects a file with more than 200 columns, because each column costs time in every row', async () => {
  const user = await seedSignedInOwner(world.service)
  const headers = Array.from({ length: 60_000 }, (_, index) => `c${index}`)
  const { page } = await uploadAndCheck(user, `Phone,${headers.join(',')}\n+12025570140\n`)
  expect(page.text).toContain('The file has 60,001 columns, but it can have at most 200. Remove some.')
})

const table = 'Phone number\tLast name\r\n+12025570110\tMüller „Ö“\r\n'
const wide = Buffer.from(`\uFEFF${table}`, 'utf16le')
it.each([
  ['UTF-8', Buffer.from(table)],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${table}`)],
  ['UTF-16 little-endian', wide],
  ['UTF-16 big-endian', Buffer.from(wide).swap16()],
  ['Windows-1252', Buffer.from(table.replace('„', '\x84').replace('“', '\x93'), 'latin1')],
])('reads a file in %s', async (_, bytes) => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, bytes)
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect((await listContacts(user)).map(({ last_name }) => last_name)).toEqual(['Müller „Ö“'])
})

it.each([
  ['an unclosed quotation mark', 'Phone,Name\n+12025570101,"Ann\n', /can't be read/],
  ['binary data', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0, 0, 1]), /This isn't a CSV file/],
  ['nothing but a space', ' ', /The file is empty\. Choose another file\./],
])("says why a file with %s can't be imported", async (_, bytes, message) => {
  const { page } = await uploadAndCheck(await seedSignedInOwner(world.service), bytes)
  expect(page.text).toMatch(message)
  expect(page.text).toContain('Failed')
})

it('shows an issue next to the field if the file is missing, empty, or larger than 20 MB', async () => {
  const user = await seedSignedInOwner(world.service)
  const cases: [Buffer, RegExp, number][] = [
    [Buffer.alloc(0), /f-file-issue">The file is empty/, 422],
    [Buffer.alloc(20 * 1024 * 1024 + 1, 'a'), /f-file-issue">[^<]*larger than 20 MB/, 413],
  ]
  for (const [bytes, message, status] of cases) {
    const response = await upload(user, 'leads.csv', bytes)
    expect([response.status, message.test(response.html)]).toEqual([status, true])
  }
  expect((await upload(user, '', '')).html).toMatch(/f-file-issue">Choose a file/)
})

it('shows the first 100 issues, and exports all of them as CSV with formulas escaped', async () => {
  const user = await seedSignedInOwner(world.service)
  const bad = Array.from({ length: 130 }, () => '12,x')
  const { path, page } = await uploadAndCheck(user, ['=Phone,Name', ...bad].join('\n'))
  expect(page.text).toContain('30 more rows.')
  const { text, headers } = await fetchFile(user, `${path}/issues`)
  expect(headers.get('content-disposition')).toContain('issues-leads.csv')
  const records = parse(text)
  expect(records).toHaveLength(131)
  expect(records[1]?.slice(0, 2)).toEqual(['2', "'=Phone"])
})

it("doesn't show, import, or discard another workspace's file", async () => {
  const theirs = await seedSignedInOwner(world.service)
  const mine = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(theirs, 'Phone\n+12025570101\n')
  expect((await mine.open(path)).status).toBe(404)
  expect((await fetchFile(mine, `${path}/issues`)).headers.get('content-disposition')).toBeNull()
  const ownImport = await uploadAndCheck(mine, 'Phone\n+12025570102\n')
  const forged = { ...ownImport.page, html: ownImport.page.html.replaceAll(ownImport.path, path) }
  for (const button of ['Import contacts', 'Discard file']) {
    expect((await mine.browser.press(forged, button)).page.status).toBe(404)
  }
  const foreign = { campaign_id: String(theirs.seed.campaignId) }
  const rejected = await mine.browser.press(ownImport.page, 'Import contacts', foreign)
  expect(rejected.page.text).toContain('Choose an active or paused campaign')
  const { page: discarded } = await theirs.browser.press(page, 'Discard file')
  expect(discarded.text).toContain('File discarded')
})

it('exports contacts in a format that can be imported again', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, '+12025570101', {
    first_name: '=HYPERLINK("x")',
    variables: { city: 'Ghent', 'a,b': 'one\ntwo' },
    consent: { source: 'Form', at: '2026-05-01T10:00:00Z', kind: 'oral' },
  })
  await seedCall(world.service.deps, user.seed, '+12025570102', { do_not_call: true })
  const erased = await seedCall(world.service.deps, user.seed, '+12025570103')
  await eraseContact(world.service.deps, user.seed.workspaceId, erased.contact.id)
  const { text, headers } = await fetchFile(user, '/contacts/export')
  expect(headers.get('content-type')).toContain('text/csv')
  const records = parse<Record<string, string>>(text, { columns: true })
  expect(records).toMatchObject([
    {
      phone_number: "'+12025570101",
      first_name: `'=HYPERLINK("x")`,
      city: 'Ghent',
      do_not_call: 'false',
      consent_kind: 'oral',
    },
    { phone_number: "'+12025570102", do_not_call: 'true', consent_kind: '' },
  ])
  const other = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(other, text)
  await other.browser.press(page, 'Import contacts')
  await waitUntilSettled(other, path)
  expect(await listContacts(other)).toMatchObject([
    {
      first_name: '=HYPERLINK("x")',
      variables: { city: 'Ghent', 'a,b': 'one\ntwo' },
      consent_at: new Date('2026-05-01T10:00:00Z'),
      consent_kind: 'oral',
    },
    { phone_number: '+12025570102' },
  ])
  expect((await other.open('/contacts?list=do_not_call')).text).toContain('+12025570102')
})

it('deletes an uploaded file, which expires seven days after the upload', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path } = await uploadAndCheck(user, 'Phone\n+12025570101\n')
  const id = Number(path.split('/').at(-1))
  const now = world.service.deps.clock.now()
  const stored = world.database.db.selectFrom('contact_import').select('expires_at').where('id', '=', id)
  expect(await stored.executeTakeFirst()).toEqual({ expires_at: new Date(now.getTime() + 7 * dayMs) })
  const expired = { expires_at: new Date(now.getTime() - 1) }
  await world.database.db.updateTable('contact_import').set(expired).where('id', '=', id).execute()
  const cleanup = startExpirationJob(world.service.deps)
  await waitFor(async () => (await user.open(path)).status === 404)
  await cleanup.stop()
})

itInChromium(
  'lets the user upload, check, and import a file in the browser, on accessible pages',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor(`/contacts/import?campaign=${user.seed.campaignId}`))
    await expectAccessible(tab)
    const text = 'Phone,Name,city\n+12025570101,Ann Lee,Ghent\n12,Bob,\n'
    const file = { name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await tab.getByLabel('CSV file').setInputFiles(file)
    await tab.getByRole('button', { name: 'Upload file' }).click()
    await tab.getByRole('heading', { name: 'What does each column contain?' }).waitFor()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Check file' }).click()
    await tab.getByRole('heading', { name: 'Import 1 row' }).waitFor()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Import contacts', exact: true }).click()
    await tab.getByText('1 of 1 row processed').waitFor()
    await tab.getByText('1 call queued').waitFor()
    await tab.getByRole('heading', { name: 'Import complete' }).waitFor()
    await expectAccessible(tab)
    expect(consoleErrors).toEqual([])
  },
)
