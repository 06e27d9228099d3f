import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { checkImport } from '../../../contacts/import/check-import.ts'
import { leaseImports } from '../../../contacts/import/import-store.ts'
import { startImporter } from '../../../contacts/import/importer.ts'
import { runImport } from '../../../contacts/import/run-import.ts'
import { systemClock } from '../../../core/clock.ts'
import type { Worker } from '../../../core/worker.ts'
import { startExpirationJob } from '../../../privacy/delete-expired.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { seedCall } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner, type SignedInUser } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'
import { waitFor } from '../../support/wait.ts'

/** Milliseconds that hundreds of rows may take on a machine that is busy with other things. */
const timeoutMs = 60_000

let worker: Worker
afterAll(async () => {
  await worker.stop()
})
const world = useServiceWorld()
beforeAll(async () => {
  world.service.deps.notify.importQueued = () => worker.notify()
  worker = startWorker()
})

/** By the machine's clock: nobody turns the hands of the other one here. */
const startWorker = () =>
  startImporter({
    ...world.service.deps,
    clock: { ...systemClock, now: () => world.service.deps.clock.now() },
  })

/** Sends a file, and resolves to the address of its import; where it is refused, to the page. */
async function upload({ browser, urlFor, open }: SignedInUser, name: string, bytes: string | Uint8Array) {
  const { html } = await open('/contacts/import')
  const body = new FormData()
  for (const field of ['_csrf', '_once']) {
    body.set(field, new RegExp(`name="${field}" value="([^"]*)"`).exec(html)?.[1] ?? '')
  }
  body.set('file', new Blob([typeof bytes === 'string' ? bytes : Buffer.from(bytes)]), name)
  const response = await fetch(urlFor('/contacts/import'), {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { cookie: browser.cookies().join('; '), origin: new URL(urlFor('')).origin },
  })
  const location = response.headers.get('location')
  if (location === null) return { status: response.status, html: await response.text(), path: '' }
  return { status: response.status, html: '', path: location.replace(/^\/w\/\d+/, '') }
}

/** The page of an import when nobody works on it any more. */
const waitUntilSettled = (user: SignedInUser, path: string) =>
  waitFor(
    async () => {
      const page = await user.open(path)
      return !page.html.includes('hx-trigger="every 1s"') && page
    },
    undefined,
    timeoutMs,
  )

async function uploadAndCheck(user: SignedInUser, bytes: string | Uint8Array, name = 'leads.csv') {
  const { path } = await upload(user, name, bytes)
  return { path, page: await waitUntilSettled(user, path) }
}

/** Counts of the page, by what they are called. */
const getStat = (html: string): Record<string, number> =>
  Object.fromEntries(
    [...html.matchAll(/<dt>([^<]*)<\/dt><dd>([\d,]+)<\/dd>/g)].map(([, name = '', count = '']) => [
      name,
      Number(count.replace(',', '')),
    ]),
  )

const listContacts = ({ seed }: { seed: { workspaceId: number } }) =>
  world.database.db
    .selectFrom('contact')
    .selectAll()
    .where('workspace_id', '=', seed.workspaceId)
    .orderBy('phone_number')
    .execute()

const fetchFile = async ({ browser, urlFor }: SignedInUser, path: string) => {
  const response = await fetch(urlFor(path), { headers: { cookie: browser.cookies().join('; ') } })
  return { headers: response.headers, text: await response.text() }
}

it('says what each row would do, and what is wrong in which, before anything is written', async () => {
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
    'Known, updated': 2,
    Duplicates: 1,
    Wrong: 3,
    'Do not call': 1,
  })
  expect(page.text).toContain('Kept as variables: Roof.')
  for (const message of [
    /6 Mobile This is not a phone number/,
    /6 Time zone Must be/,
    /7 Email /,
    /7 Time zone Must be an IANA time zone/,
    /8 Mobile The number stands in row 2 already/,
    /9 – The row has 6 cells, and the file 5 columns/,
  ]) {
    expect(page.text).toMatch(message)
  }
  expect(await listContacts(user)).toHaveLength(2)
})

it('imports what was checked, queues calls, and calls nobody who refused', async () => {
  const user = await seedSignedInOwner(world.service)
  const { browser, seed } = user
  await seedCall(world.service.deps, seed, '+12025570101', { last_name: 'Old', variables: { roof: 'tin' } })
  await seedCall(world.service.deps, seed, '+12025570102', { do_not_call: true })
  const rows = ['Phone;Name;city', '+12025570101;Ann Lee;Ghent', '+12025570102;Bob;', '+12025570103;;']
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  const fields = { campaign_id: String(seed.campaignId) }
  const sent = await Promise.all([
    browser.press(page, 'Import', fields),
    browser.press(page, 'Import', fields),
  ])
  expect(sent.map(({ page: { status } }) => status)).toEqual([200, 200])
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain('3 of 3 contacts written: 1 new, 2 brought up to date.')
  expect(done.text).toContain('1 call queued, 1 open already, 1 on the do-not-call list and not called.')
  expect(await listContacts(user)).toMatchObject([
    { first_name: 'Ann', last_name: 'Lee', variables: { roof: 'tin', city: 'Ghent' } },
    { first_name: 'Bob', last_name: null, variables: {} },
    { phone_number: '+12025570103', first_name: null },
  ])
  const again = await browser.press(page, 'Import', { campaign_id: '' })
  expect(again.page.text).toContain('was started before')
  const calls = await world.database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls).toHaveLength(3)
})

const table = 'Phone number\tLast name\r\n+12025570110\tMüller „Ö“\r\n'
const wide = Buffer.from(`\uFEFF${table}`, 'utf16le')
it.each([
  ['UTF-8', Buffer.from(table)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${table}`)],
  ['UTF-16, little end first', wide],
  ['UTF-16, big end first', Buffer.from(wide).swap16()],
  ['Windows-1252', Buffer.from(table.replace('„', '\x84').replace('“', '\x93'), 'latin1')],
])('reads a file in %s', async (_, bytes) => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, bytes)
  await user.browser.press(page, 'Import')
  await waitUntilSettled(user, path)
  expect((await listContacts(user)).map(({ last_name }) => last_name)).toEqual(['Müller „Ö“'])
})

it.each([
  ['no phone numbers', 'Name,City\nAnn,Ghent\n', /No column holds phone numbers.*Name, City/],
  ['nothing but a quotation mark', 'Phone,Name\n+12025570101,"Ann\n', /cannot be read/],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0, 0, 1]), /This is no CSV file/],
  ['no line', ' ', /No column holds phone numbers/],
])('says why a file with %s cannot be read', async (_, bytes, message) => {
  const { page } = await uploadAndCheck(await seedSignedInOwner(world.service), bytes)
  expect(page.text).toMatch(message)
  expect(page.text).toContain('Failed')
})

it('refuses no file, an empty one and one of more than 20 MB, beside the field', async () => {
  const user = await seedSignedInOwner(world.service)
  const cases: [Buffer, RegExp, number][] = [
    [Buffer.alloc(0), /f-file-problem">The file is empty/, 422],
    [Buffer.alloc(20 * 1024 * 1024 + 1, 'a'), /f-file-problem">[^<]*larger than 20 MB/, 413],
  ]
  for (const [bytes, message, status] of cases) {
    const response = await upload(user, 'leads.csv', bytes)
    expect([response.status, message.test(response.html)]).toEqual([status, true])
  }
  expect((await upload(user, '', '')).html).toMatch(/f-file-problem">Choose a file/)
})

it('shows the first hundred problems, and gives all as CSV with no formula in it', async () => {
  const user = await seedSignedInOwner(world.service)
  const bad = Array.from({ length: 130 }, () => '12,x')
  const { path, page } = await uploadAndCheck(user, ['=Phone,Name', ...bad].join('\n'))
  expect(page.text).toContain('And 30 rows more.')
  const { text, headers } = await fetchFile(user, `${path}/problems`)
  expect(headers.get('content-disposition')).toContain('problems-leads.csv')
  const records = parse(text)
  expect(records).toHaveLength(131)
  expect(records[1]?.slice(0, 2)).toEqual(['2', "'=Phone"])
})

it('shows another workspace’s file to nobody, and starts and discards it for nobody', async () => {
  const theirs = await seedSignedInOwner(world.service)
  const mine = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(theirs, 'Phone\n+12025570101\n')
  expect((await mine.open(path)).status).toBe(404)
  expect((await fetchFile(mine, `${path}/problems`)).headers.get('content-disposition')).toBeNull()
  const ownImport = await uploadAndCheck(mine, 'Phone\n+12025570102\n')
  const forged = { ...ownImport.page, html: ownImport.page.html.replaceAll(ownImport.path, path) }
  for (const button of ['Import', 'Discard the file']) {
    expect((await mine.browser.press(forged, button)).page.status).toBe(404)
  }
  const foreign = { campaign_id: String(theirs.seed.campaignId) }
  const rejected = await mine.browser.press(ownImport.page, 'Import', foreign)
  expect(rejected.page.text).toContain('Choose a campaign that takes calls')
  const { page: discarded } = await theirs.browser.press(page, 'Discard the file')
  expect(discarded.text).toContain('The file was discarded')
})

it('exports contacts in a form that can be imported again', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, '+12025570101', {
    first_name: '=HYPERLINK("x")',
    variables: { city: 'Ghent', 'a,b': 'one\ntwo' },
    consent: { source: 'Form', at: '2026-05-01T10:00:00Z' },
  })
  await seedCall(world.service.deps, user.seed, '+12025570102', { do_not_call: true })
  const erased = await seedCall(world.service.deps, user.seed, '+12025570103')
  await eraseContact(world.service.deps, { workspaceId: user.seed.workspaceId, contactId: erased.contact.id })
  const { text, headers } = await fetchFile(user, '/contacts/export')
  expect(headers.get('content-type')).toContain('text/csv')
  const records = parse<Record<string, string>>(text, { columns: true })
  expect(records).toMatchObject([
    { phone_number: "'+12025570101", first_name: `'=HYPERLINK("x")`, city: 'Ghent', do_not_call: 'false' },
    { phone_number: "'+12025570102", do_not_call: 'true' },
  ])
  const other = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(other, text)
  await other.browser.press(page, 'Import')
  await waitUntilSettled(other, path)
  expect(await listContacts(other)).toMatchObject([
    {
      first_name: '=HYPERLINK("x")',
      variables: { city: 'Ghent', 'a,b': 'one\ntwo' },
      consent_at: new Date('2026-05-01T10:00:00Z'),
    },
    { phone_number: '+12025570102' },
  ])
  expect((await other.open('/contacts?list=refused')).text).toContain('+12025570102')
})

it('goes on where a lost process stood, and does nothing twice, with two at work', async () => {
  await worker.stop()
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const rows = Array.from({ length: 260 }, (_, index) => `+1202558${String(index).padStart(4, '0')},${index}`)
  const { path } = await upload(user, 'many.csv', ['Phone,Name', ...rows].join('\n'))
  const lease = async () => {
    const [job] = await leaseImports(world.database.db, 1)
    if (job === undefined) throw new Error('there was nothing to lease')
    return job
  }
  const expire = () =>
    world.database.db
      .updateTable('contact_import')
      .set({ lease_until: new Date(0) })
      .execute()
  // A checker is told to stop, one is lost, and the third is done; what the lost one still writes is refused.
  await checkImport(deps, await lease(), AbortSignal.abort())
  const lost = await lease()
  await expire()
  const checker = await lease()
  await checkImport(deps, checker, new AbortController().signal)
  await checkImport(deps, lost, new AbortController().signal)
  const page = await waitUntilSettled(user, path)
  expect(getStat(page.html)).toMatchObject({ Rows: 260, 'New contacts': 260 })

  await user.browser.press(page, 'Import', { campaign_id: String(user.seed.campaignId) })
  const first = await lease()
  await expire()
  const second = await lease()
  const stop = new AbortController()
  const running = runImport(deps, second, stop.signal)
  await runImport(deps, first, new AbortController().signal)
  stop.abort()
  await running
  worker = startWorker()
  const other = startWorker()
  const done = await waitUntilSettled(user, path)
  await other.stop()
  expect(done.text).toContain('260 of 260 contacts written: 260 new')
  expect(done.text).toContain('260 calls queued')
  expect(await listContacts(user)).toHaveLength(260)
}, 120_000)

it('stops where its campaign is archived meanwhile, and says so', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone\n+12025570101\n')
  await worker.stop()
  await user.browser.press(page, 'Import', { campaign_id: String(user.seed.campaignId) })
  const { campaignId } = user.seed
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'archived' })
    .where('id', '=', campaignId)
    .execute()
  worker = startWorker()
  const { text } = await waitUntilSettled(user, path)
  expect(text).toContain('The campaign was archived meanwhile: the rows that are left were not imported.')
  expect(await listContacts(user)).toEqual([])
})

it('forgets files after a day', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path } = await uploadAndCheck(user, 'Phone\n+12025570101\n')
  const id = Number(path.split('/').at(-1))
  const expired = { expires_at: new Date(world.service.deps.clock.now().getTime() - 1) }
  await world.database.db.updateTable('contact_import').set(expired).where('id', '=', id).execute()
  const cleanup = startExpirationJob(world.service.deps)
  await waitFor(async () => (await user.open(path)).status === 404)
  await cleanup.stop()
})

it('leaves nobody’s row behind who is erased before the import', async () => {
  const user = await seedSignedInOwner(world.service)
  const { contact } = await seedCall(world.service.deps, user.seed, '+12025570101')
  const { path, page } = await uploadAndCheck(user, 'Phone,Name\n+12025570101,Maya\n+12025570102,Ann\n')
  await eraseContact(world.service.deps, { workspaceId: user.seed.workspaceId, contactId: contact.id })
  await user.browser.press(page, 'Import')
  await waitUntilSettled(user, path)
  expect((await listContacts(user)).map(({ first_name }) => first_name)).toEqual([null, 'Ann'])
})

it('imports in batches that others see one after the other', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = Array.from(
    { length: 2_000 },
    (_, index) => `+1202559${String(index).padStart(4, '0')},P${index}`,
  )
  const { path } = await upload(user, 'many.csv', ['Phone,Name', ...rows].join('\n'))
  await user.browser.press(await waitUntilSettled(user, path), 'Import')
  const seen = new Set<number>()
  await waitFor(async () => {
    const { text } = await user.open(path)
    const written = Number(/([\d,]+) of 2,000 contacts written/.exec(text)?.[1]?.replace(',', ''))
    seen.add(written)
    return written === 2_000
  })
  expect([...seen].filter((written) => written > 0 && written < 2_000).length).toBeGreaterThan(0)
  expect(await listContacts(user)).toHaveLength(2_000)
})

itInChromium('is used by hand, by people with and without sight', async (chromium) => {
  const user = await seedSignedInOwner(world.service)
  const tab = await openTab(world.service, chromium, user)
  const consoleErrors: string[] = []
  tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  await tab.goto(user.urlFor(`/contacts/import?campaign=${user.seed.campaignId}`))
  await expectAccessible(tab)
  const text = 'Phone,Name,city\n+12025570101,Ann Lee,Ghent\n12,Bob,\n'
  const file = { name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
  await tab.getByLabel('CSV file').setInputFiles(file)
  await tab.getByRole('button', { name: 'Check the file' }).click()
  await tab.getByRole('heading', { name: 'Import 1 contact' }).waitFor()
  await expectAccessible(tab)
  await tab.getByRole('button', { name: 'Import', exact: true }).click()
  await tab.getByText('1 of 1 contact written').waitFor()
  await tab.getByText('1 call queued').waitFor()
  await tab.getByRole('heading', { name: 'Done' }).waitFor()
  await expectAccessible(tab)
  expect(consoleErrors).toEqual([])
})
