import { beforeAll, expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { type ColumnChoices, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner, type SignedInUser } from '../../support/dashboard.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck, uploadFile } = useImportWorld()
beforeAll(() => void startWorker())

const download = async ({ browser, urlFor }: SignedInUser, path: string) => {
  const response = await fetch(urlFor(path), { headers: { cookie: browser.cookies().join('; ') } })
  return response.text()
}

it('if a row names more than five different countries, its issue lists only five of them', async () => {
  const user = await seedSignedInOwner(world.service)
  const countries = ['US', 'CA', 'MX', 'FR', 'DE', 'ES', 'IT']
  const headers = countries.map((_, index) => `Country ${index + 1}`)
  const choices: ColumnChoices = Object.fromEntries(headers.map((header) => [header, 'country']))
  const file = `Phone,${headers.join(',')}\n2025550163,${countries.join(',')}\n+12025550164,,,,,,,\n`
  const { page } = await uploadAndCheck(user, file, choices)
  expect(page.text).toContain('“US” and “CA” and “MX” and “FR” and “DE” are different countries.')
})

it('when rejected rows are uploaded again, removes the apostrophes before headers and values that look like formulas', async () => {
  const user = await seedSignedInOwner(world.service)
  const file = '=Phone,+Roof,@Notes\n12,=slate,ok\n+12025550164,-tin,ok\n'
  const choices: ColumnChoices = { '=Phone': 'phone_number', '+Roof': 'variable', '@Notes': 'ignore' }
  const { path } = await uploadAndCheck(user, file, choices)
  const rejected = await download(user, `${path}/rejected`)
  expect(rejected).toMatch(/^'=Phone,'\+Roof,'@Notes,/)
  const { page } = await uploadFile(user, rejected.replace('\r\n12,', '\r\n+12025550165,'))
  expect(page.html).toContain('<th scope="row" id="column-0">=Phone</th>')
  expect(page.html).toContain('<div class="sample">=slate</div>')
  const { path: corrected } = await uploadAndCheck(user, rejected.replace('\r\n12,', '\r\n+12025550165,'))
  await user.browser.press(await user.open(corrected), 'Import contacts')
  await waitUntilSettled(user, corrected)
  const [contact] = await world.database.db
    .selectFrom('contact')
    .select(['phone_number', 'variables'])
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  expect(contact).toEqual({ phone_number: '+12025550165', variables: { '+Roof': '=slate' } })
})

it('recognizes that a file has no header, even if the number in its first row starts with an apostrophe', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadFile(user, "'+12025550163,Ann\n'+12025550164,Bob\n")
  expect(page.html).toContain('Column 1')
})

it('in rejected rows and exported contacts, a blank cell stays blank, even if its column is named “constructor”', async () => {
  const user = await seedSignedInOwner(world.service)
  const file = 'Phone,constructor\n+19005550100,\n+12025550163,\n+12025550164,Acme\n'
  const { path, page } = await uploadAndCheck(user, file)
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  await waitUntilSettled(user, path)
  const [, rejected] = parse(await download(user, `${path}/rejected`))
  expect(rejected?.slice(0, 2)).toEqual(["'+19005550100", ''])
  const contacts = parse(await download(user, '/contacts/export'))
  const column = contacts[0]?.indexOf('constructor') ?? -1
  expect(contacts.slice(1).map((cells) => cells[column])).toEqual(['', 'Acme'])
})
