// cspell:ignore TCPA acepta llamadas
import { beforeAll, expect, it } from '@jest/globals'
import { isOnDoNotCallList } from '../../../queue/calls/check-do-not-call.ts'
import { getColumnFields, getStat, toMappingFields, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

const { world, startWorker, uploadFile, uploadAndCheck, waitUntilSettled, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

const isListed = ({ seed }: { seed: { workspaceId: number } }, number: string) =>
  isOnDoNotCallList(world.database.db, seed.workspaceId, number)

const consentFile =
  'Phone,Agreed?,City\n2025570101,Yes,a\n2025570102,No,b\n2025570103,,c\n2025570104,perhaps,d\n'

it("saves a Yes as consent with its source and date, and saves people who said No, but doesn't call them", async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, consentFile, {
    'Agreed?': 'consent_given',
    consent_source: 'Website form',
    consent_date: '2026-05-01',
  })
  expect(getStat(page.html)).toMatchObject({ Rows: 4, Errors: 1, 'No consent': 1 })
  expect(page.text).toContain("“perhaps” isn't recognized. Enter Yes or No.")
  expect(page.text).not.toContain('No consent is stored')
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain('2 calls queued, 1 not called (no consent).')
  expect(done.text).toMatch(/Saved, not called: no consent .* 3 Agreed\? No consent\./)
  expect(await listContacts(user)).toMatchObject([
    { consent_source: 'Website form', consent_at: new Date('2026-05-01T04:00:00Z') },
    { consent_source: null, consent_at: null },
    { consent_source: null },
  ])
  expect(await isListed(user, '+12025570102')).toBe(false)
})

it("doesn't call a person if any of the person's rows says no, whatever the other rows say", async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,Name,Email,Opt In,Do not call',
    '2025570101,Di,,yes,',
    '2025570102,Ed,,no,',
    '2025570103,Flo,,yes,',
    '2025570104,Gus,gus@,no,',
    '(202) 557-0101,Di,,no,',
    '2025570102,Ed,,yes,',
    '2025570103,Flo,flo@,no,',
    '2025570104,Gus,,yes,',
    '2025570105,Hal,,yes,',
    '2025570106,Ida,,yes,',
    '2025570106,Ida,,no,',
    '2025570106,Ida,,,yes',
  ]
  const { path, page } = await uploadAndCheck(user, rows.join('\n'), {
    'Opt In': 'consent_given',
    consent_source: 'Website form',
    consent_date: '2026-05-01',
  })
  expect(getStat(page.html)).toMatchObject({ Rows: 12, Duplicates: 3, Errors: 2, 'No consent': 5 })
  expect(page.text).toMatch(
    /6 Phone Duplicate of row 2\. This row is skipped, but its No counts: the contact isn't called\./,
  )
  expect(page.text).toMatch(/2 Opt In Row 6 says No\. The contact is saved, but not called\./)
  expect(page.text).toMatch(/9 Opt In Row 5 says No\. The contact is saved, but not called\./)
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain(
    '1 call queued, 1 not called (on the do-not-call list), 5 not called (no consent).',
  )
  expect(getStat(done.html)).toMatchObject({ 'No consent': 5 })
  const contacts = await listContacts(user)
  expect(contacts.map(({ first_name, consent_source }) => [first_name, consent_source])).toEqual([
    ['Di', null],
    ['Ed', null],
    ['Flo', null],
    ['Gus', null],
    ['Hal', 'Website form'],
    ['Ida', null],
  ])
  const calls = await world.database.db
    .selectFrom('call')
    .select('contact_id')
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  expect(calls).toEqual([{ contact_id: contacts[4]?.id }])
})

it.each([
  [{ consent_source: 'Website form' }, null],
  [{ consent_date: '2026-05-01' }, null],
])(
  'if the source or the date of the consent is missing, stores no consent and shows a notice: %j',
  async (typed, stored) => {
    const user = await seedSignedInOwner(world.service)
    const choices = { 'Agreed?': 'consent_given', ...typed }
    const { path, page } = await uploadAndCheck(user, consentFile, choices)
    expect(page.text).toContain('No consent is stored, because its source or its date is missing.')
    await user.browser.press(page, 'Import contacts')
    await waitUntilSettled(user, path)
    const [first] = await listContacts(user)
    expect(first).toMatchObject({ consent_source: stored, consent_at: stored })
  },
)

it('saves the kind of consent as written or oral, however the file words it', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,Consent source,Consent date,Consent kind',
    '2025570101,Form,2026-05-01,Written',
    '2025570102,Form,2026-05-01,in writing',
    '2025570103,Form,2026-05-01,Signed',
    '2025570104,Call,2026-05-01,verbal',
    '2025570105,Call,2026-05-01,By phone',
    '2025570106,Form,2026-05-01,n/a',
  ]
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  expect(getStat(page.html)).toMatchObject({ Rows: 6, Errors: 0 })
  expect(page.text).toMatch(/\+12025570101 .*Form Written, May 1.*\+12025570104 .*Call Oral, May 1/)
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  const kinds = (await listContacts(user)).map(({ consent_kind }) => consent_kind)
  expect(kinds).toEqual(['written', 'written', 'written', 'oral', 'oral', null])
})

it('skips rows whose kind of consent is unreadable, and rows that have a kind but no source or no date', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,Consent source,Consent date,Consent kind,Do not call',
    '2025570101,Form,2026-05-01,Web,',
    '2025570102,,,Written,',
    '2025570103,,2026-05-01,Written,',
    '2025570104,Form,,Written,',
    '2025570105,Form,2026-05-01,No,',
    '2025570106,Form,2026-05-01,Web,yes',
  ]
  const { page } = await uploadAndCheck(user, rows.join('\n'))
  expect(getStat(page.html)).toMatchObject({ Rows: 6, Errors: 5, "Rows that say don't call": 1 })
  for (const message of [
    /2 Consent kind “Web” isn't a kind of consent\. Enter Written or Oral, or clear this cell\./,
    /3 Consent kind The consent source and the consent date are missing\. Add them in “Consent source” and “Consent date” columns/,
    /4 Consent date The consent source is missing\./,
    /5 Consent source The consent date is missing\./,
    /6 Consent kind “No” isn't a kind of consent\./,
  ])
    expect(page.text).toMatch(message)
})

it('saves the kind of consent that is chosen for the file, unless a row has its own kind', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = ['Phone,Agreed?,Consent kind', '2025570101,Yes,', '2025570102,Yes,oral', '2025570103,No,oral']
  const choices = {
    'Agreed?': 'consent_given',
    consent_source: 'Website form',
    consent_date: '2026-05-01',
    consent_kind: 'written',
  }
  const { path, page } = await uploadAndCheck(user, rows.join('\n'), choices)
  const columns = await user.open(`${path}/columns`)
  expect(columns.html).toMatch(/name="consent_kind"[^]*?<option value="written" selected>Written/)
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(await listContacts(user)).toMatchObject([
    { consent_source: 'Website form', consent_kind: 'written' },
    { consent_source: 'Website form', consent_kind: 'oral' },
    { consent_source: null, consent_kind: null },
  ])
})

it('saves no consent if its source and date are missing, even if a kind is chosen for the file', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone,Agreed?\n2025570101,Yes\n', {
    'Agreed?': 'consent_given',
    consent_kind: 'written',
  })
  expect(page.text).toContain('No consent is stored, because its source or its date is missing.')
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(await listContacts(user)).toMatchObject([{ consent_source: null, consent_kind: null }])
})

it("if the kind of consent chosen for a file isn't in the list, shows an issue next to the field", async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadFile(user, consentFile)
  const fields = toMappingFields(page.html, { 'Agreed?': 'consent_given', consent_kind: 'web' })
  const { page: asked } = await user.browser.press(page, 'Check file', fields)
  expect(asked.html).toContain('id="f-consent_kind-issue">Choose a kind of consent from the list.')
})

it("keeps a contact's kind of consent only if the file has the same consent source and date as the contact", async () => {
  const user = await seedSignedInOwner(world.service)
  const importRows = async (...rows: string[]) => {
    const { path, page } = await uploadAndCheck(user, rows.join('\n'))
    await user.browser.press(page, 'Import contacts')
    await waitUntilSettled(user, path)
  }
  const header = 'Phone,Consent source,Consent date'
  const [first, second] = ['2025570101,Form,2026-05-01', '2025570102,Form,2026-05-01']
  await importRows(`${header},Consent kind`, `${first},written`, `${second},written`)
  await importRows(header, first, '2025570102,Fair,2026-05-01')
  expect(await listContacts(user)).toMatchObject([
    { consent_source: 'Form', consent_kind: 'written' },
    { consent_source: 'Fair', consent_kind: null },
  ])
})

it("if the consent date doesn't exist or is in the future, shows an issue next to the field", async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadFile(user, consentFile)
  for (const [date, issue] of [
    ['2999-05-01', 'This date is in the future'],
    ['2026-02-30', "This date doesn't exist"],
  ] as const) {
    const fields = toMappingFields(page.html, { 'Agreed?': 'consent_given', consent_date: date })
    const { page: asked } = await user.browser.press(page, 'Check file', fields)
    expect(asked.html).toMatch(new RegExp(`id="f-consent_date-issue">${issue.replace("'", '&#39;')}`))
  }
})

it('asks about every column that looks like consent or an opt-out, and calls only people who agreed in all of them', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    'Phone,First Name,Do Not Call/Text,Consent (calls and email),Call me?,TCPA,OK by phone,Acepta llamadas,Email opt-in',
    '2025570101,Ann,yes,yes,yes,yes,1,sí,no',
    '2025570102,Bob,,yes,yes,yes,1,sí,no',
    '2025570103,Cy,,yes,no,yes,1,sí,yes',
  ]
  const { path, page } = await uploadFile(user, rows.join('\n'))
  const asked = getColumnFields(page.html).filter(({ use }) => use === '')
  expect(asked.map(({ header }) => header)).toEqual([
    'Do Not Call/Text',
    'Consent (calls and email)',
    'Call me?',
    'TCPA',
    'OK by phone',
    'Acepta llamadas',
  ])
  expect(page.text).toContain('6 columns look like consent or an opt-out.')
  const choices = {
    ...Object.fromEntries(asked.map(({ header }) => [header, 'consent_given'])),
    'Do Not Call/Text': 'do_not_call',
  }
  await user.browser.press(page, 'Check file', toMappingFields(page.html, choices))
  const checked = await waitUntilSettled(user, path)
  await user.browser.press(checked, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  expect((await waitUntilSettled(user, path)).text).toContain(
    '1 call queued, 1 not called (on the do-not-call list), 1 not called (no consent).',
  )
  expect(await isListed(user, '+12025570101')).toBe(true)
})

it('if a cell repeats the statement in its header, reads the cell as Yes, and says how to correct a different text', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = [
    "Phone,I agree to be called.,Please don't call me",
    '2025570101,I agree to be called,',
    "2025570102,,Please don't call me",
    '2025570103,I agree to be visited,',
  ]
  const { path, page } = await uploadAndCheck(user, rows.join('\n'), {
    'I agree to be called.': 'consent_given',
    consent_source: 'Website form',
    consent_date: '2026-05-01',
  })
  expect(getStat(page.html)).toMatchObject({ Rows: 3, Errors: 1, "Rows that say don't call": 1 })
  expect(page.text).toContain(
    "I agree to be called.: “I agree to be visited” isn't recognized. Enter Yes or No. If a form writes this text for a checked box, replace it with Yes.",
  )
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect(await listContacts(user)).toMatchObject([
    { consent_source: 'Website form' },
    { consent_source: null },
  ])
  expect(await isListed(user, '+12025570102')).toBe(true)
})
