// cspell:ignore Jürgen
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, expect, it } from '@jest/globals'
import { getColumnFields, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

// Files that were once imported wrongly, as users upload them. fixtures/cases/import.mjs imports one of them into a running
// demo workspace.

const { world, startWorker, uploadFile, uploadAndCheck, waitUntilSettled, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

const folder = new URL('fixtures/cases/', import.meta.url)

type Person = [phoneNumber: string, firstName: string | null, lastName: string | null]

/** What each file contains: the number, first name, and last name of each person, and a text that the check's page shows. */
const files: Record<string, { people: Person[]; says?: RegExp; choices?: Record<string, string> }> = {
  'consent-no.csv': {
    people: [['+12025550348', 'Al', null]],
    choices: {
      'Opt In': 'consent_given',
      'Call consent': 'consent_given',
      'Permission to call': 'consent_given',
      Status: 'variable',
    },
    says: /Saved, not called: no consent .* 2 Opt In No consent\. The contact is saved, but not called\./,
  },
  'country-names.csv': {
    people: [['+919145550311', 'Ash', null]],
    says: /3 Phone The phone number isn't valid/,
  },
  'dial-codes.csv': {
    people: [
      ['+919145550313', 'Ash', null],
      ['+919145550314', 'Bel', null],
    ],
    says: /4 Phone The phone number isn't valid/,
  },
  'formula-and-float.csv': {
    people: [
      ['+12025550340', 'Al', null],
      ['+12025550341', 'Bo', null],
    ],
  },
  'google-second-phone.csv': { people: [['+12025550334', 'Cy', 'Noe']], says: /2 Phone 1 - Value / },
  'header-only.csv': { people: [], says: /The file has no rows\./ },
  'header-with-commas.csv': { people: [['+12025550349', null, null]] },
  'meta-lead-ads.tsv': {
    people: [
      ['+12025550310', 'Lee', 'Doe'],
      ['+12025550312', 'Kim', 'Roe'],
    ],
  },
  'mixed-line-ends-short-rows.csv': {
    people: [
      ['+12025550384', 'Al', 'Roe'],
      ['+12025550385', 'Bo', null],
      ['+12025550386', 'Cy', null],
      ['+12025550387', 'Di', null],
    ],
  },
  'mixed-line-ends-two-files.csv': {
    people: [
      ...Array.from({ length: 10 }, (_, index): Person => [`+1202555035${index}`, `P${index}`, null]),
      ['+12025550382', 'Al', null],
      ['+12025550383', 'Bo', null],
    ],
    says: /Duplicate of row/,
  },
  'number-before-phone.csv': {
    people: [
      ['+12025550380', null, null],
      ['+12025550381', null, null],
    ],
  },
  'outlook-mobile-only.csv': {
    people: [
      ['+12025550317', 'Eve', 'Goe'],
      ['+12025550318', 'Fay', 'Hoe'],
    ],
  },
  'sep-line.csv': { people: [['+12025550330', 'Ria', null]] },
  'space-before-quotes.csv': { people: [['+12025550353', 'Kay', null]] },
  'utf8-one-bad-byte.csv': {
    people: [
      ['+12025550346', 'Zoë', null],
      ['+12025550347', 'Jürgen', null],
    ],
    says: /Imported rows to check .* A character in this cell can't be read/,
  },
}

it('every file in the folder fixtures/cases has an expected result', () => {
  const names = readdirSync(folder).filter((name) => !name.endsWith('.mjs'))
  expect(names.toSorted()).toEqual(Object.keys(files).toSorted())
})

it.each(Object.entries(files))('imports %s', async (name, { people, says, choices }) => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, readFileSync(new URL(name, folder)), choices)
  if (says) expect(page.text).toMatch(says)
  if (page.html.includes('/start"')) {
    await user.browser.press(page, 'Import contacts', { campaign_id: '' })
    await waitUntilSettled(user, path)
  }
  const contacts = await listContacts(user)
  expect(contacts.map((contact) => [contact.phone_number, contact.first_name, contact.last_name])).toEqual(
    people,
  )
})

it('asks about columns that look like consent or an opt-out, and says how many such columns the file has', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadFile(user, readFileSync(new URL('consent-no.csv', folder)))
  expect(getColumnFields(page.html).map(({ header, use }) => [header, use])).toEqual([
    ['Phone', 'phone_number'],
    ['Name', 'name'],
    ['Opt In', ''],
    ['Call consent', ''],
    ['Permission to call', ''],
    ['Status', ''],
  ])
  expect(page.text).toContain('4 columns look like consent or an opt-out.')
})
