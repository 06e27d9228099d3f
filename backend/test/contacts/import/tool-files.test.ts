// cspell:ignore jörg zcrm optin pipedrive typeform
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, expect, it } from '@jest/globals'
import { type ColumnChoices, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

// Files in the formats that other programs export. Each import only makes the choices that the page asks for.

const { world, startWorker, uploadAndCheck, waitUntilSettled, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

const folder = new URL('fixtures/tools/', import.meta.url)

/** What's expected of a contact: the last two digits of the number, the full name, the email, and the external ID. */
type Person = [digits: string, name: string, email: string | null, externalId: string | null]

const files: Record<string, { people: Person[]; choices?: ColumnChoices; notCalled?: number }> = {
  'hubspot.csv': {
    people: [
      ['01', 'Ann Lee', 'ann@example.com', '101'],
      ['02', 'Bo Poe', 'bo@example.com', '102'],
    ],
  },
  'salesforce.csv': {
    people: [
      ['03', 'Cy Noe', 'cy@example.com', '0035e00001'],
      ['04', 'Di Moe', 'di@example.com', '0035e00002'],
    ],
    notCalled: 1,
  },
  'google-contacts.csv': {
    people: [
      ['06', 'Ed Foe', 'ed@example.com', null],
      ['07', 'Fay Goe', null, null],
    ],
  },
  'google-contacts-old.csv': { people: [['08', 'Gus Hoe', 'gus@example.com', null]] },
  'outlook.csv': { people: [['09', 'Hal Ioe', 'hal@example.com', null]] },
  'outlook-german.csv': {
    people: [
      ['19', 'Rita Soe', 'rita@example.com', null],
      ['+4915123456701', 'Jörg Roe', 'jorg@example.com', null],
    ],
  },
  'pipedrive.csv': {
    people: [
      ['10', 'Ida Joe', 'ida@example.com', '7'],
      ['11', 'Jan Koe', 'jan@example.com', '8'],
    ],
  },
  'zoho.csv': {
    people: [
      ['12', 'Kim Loe', 'kim@example.com', 'zcrm_1'],
      ['13', 'Lee Moe', 'lee@example.com', 'zcrm_2'],
    ],
    choices: { 'Unsubscribed Mode': 'variable', 'Unsubscribed Time': 'ignore' },
  },
  'mailchimp.csv': {
    people: [['14', 'Max Noe', 'max@example.com', null]],
    choices: { OPTIN_TIME: 'variable' },
  },
  'meta-lead-ads.tsv': { people: [['15', 'Nia Ooe', 'nia@example.com', 'l:1001']] },
  'typeform.csv': {
    people: [
      ['16', 'Oda', 'oda@example.com', null],
      ['17', 'Pia', 'pia@example.com', null],
    ],
    choices: {
      "First, what's your first name?": 'first_name',
      'Can we call you, and do you consent?': 'consent_given',
      consent_source: 'Typeform',
      consent_date: '2026-05-01',
    },
    notCalled: 1,
  },
  'jotform.csv': { people: [['18', 'Quin Roe', 'quin@example.com', '5001']] },
}

it('every file in the folder fixtures/tools has an expected result', () => {
  expect(readdirSync(folder).toSorted()).toEqual(Object.keys(files).toSorted())
})

it.each(Object.entries(files))(
  'imports everyone in %s, and queues a call to everyone who may be called',
  async (name, { people, choices, notCalled = 0 }) => {
    const user = await seedSignedInOwner(world.service)
    const { path, page } = await uploadAndCheck(user, readFileSync(new URL(name, folder)), choices, name)
    await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
    const done = await waitUntilSettled(user, path)
    const contacts = await listContacts(user)
    expect(
      contacts.map(({ phone_number, first_name, last_name, email, external_id }) => [
        phone_number.replace('+12025550' + '4', ''),
        [first_name, last_name].filter(Boolean).join(' '),
        email,
        external_id,
      ]),
    ).toEqual(people)
    const called = people.length - notCalled
    expect(done.text).toContain(`${called} ${called === 1 ? 'call' : 'calls'} queued`)
  },
)
