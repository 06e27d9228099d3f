import { beforeAll, expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { type CountryCode, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { countryCases, unreadableCountries } from '../../../../test/reading/cases/countries.ts'
import { dateCases } from '../../../../test/reading/cases/dates.ts'
import { yesNoCases } from '../../../../test/reading/cases/yes-no.ts'
import { formatCsvRecord } from '../../../platform/core/csv.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import { parseLocalDateField } from '../../../queue/scheduling/local-time.ts'
import { getStat, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck, listContacts } = useImportWorld()
beforeAll(() => void startWorker())

/** The cases that a file can have: the text isn't empty, and the time zone is the workspace's. */
const dates = dateCases.filter(([text, timeZone]) => text !== '' && timeZone === 'America/New_York')

const phoneNumber = (index: number) => `+1202557${String(index).padStart(4, '0')}`

it('in an imported file, reads the dates and yes/no answers of the shared test cases, and counts unreadable ones as errors', async () => {
  // Moves the clock past the dates of the table, because consent in the future is an error.
  world.service.deps.clock.advance(365 * dayMs)
  const user = await seedSignedInOwner(world.service)
  const rows = [
    ...dates.map(([text]) => ['', 'Form', text]),
    ...yesNoCases.map(([text]) => [text, '', '']),
  ].map((cells, index) => [phoneNumber(index), ...cells])
  const header = ['Phone', 'Do not call', 'Consent source', 'Consent date']
  const { path, page } = await uploadAndCheck(user, [header, ...rows].map(formatCsvRecord).join(''))
  const unread = [...dates, ...yesNoCases].filter(([, , result]) => result === undefined)
  expect(getStat(page.html)).toMatchObject({
    Rows: rows.length,
    Errors: unread.length,
  })
  await user.browser.press(page, 'Import contacts', { campaign_id: '' })
  await waitUntilSettled(user, path)

  const contacts = new Map((await listContacts(user)).map((contact) => [contact.phone_number, contact]))
  expect(
    dates.map(([text], index) => [text, contacts.get(phoneNumber(index))?.consent_at?.toISOString()]),
  ).toEqual(dates.map(([text, , moment]) => [text, moment]))
  const listed = new Map(
    parse<Record<string, string>>((await user.open('/contacts/export')).html, {
      bom: true,
      columns: true,
    }).map((row) => [row.phone_number?.replace("'", ''), row.do_not_call]),
  )
  expect(yesNoCases.map(([text], index) => [text, listed.get(phoneNumber(dates.length + index))])).toEqual(
    yesNoCases.map(([text, , answer]) => [text, answer?.toString()]),
  )
})

/** Returns an example number of the country, as people there write it and in E.164. */
function exampleNumber(country: string): { national: string; e164: string } {
  const number = getExampleNumber(country as CountryCode, examples)
  if (number === undefined) throw new Error(`no example of a number in ${country}`)
  return { national: number.formatNational(), e164: number.number }
}

it('in an imported file, reads the countries of the shared test cases, and counts unreadable ones as errors', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = countryCases.map(([text, code]) => [exampleNumber(code).national, text])
  const unread = unreadableCountries.filter((text) => text !== '')
  const wrong = unread.map((text, index) => [phoneNumber(index).slice(2), text])
  const file = [['Phone', 'Country'], ...rows, ...wrong].map(formatCsvRecord).join('')
  const { path, page } = await uploadAndCheck(user, file)
  expect(getStat(page.html)).toMatchObject({ Rows: rows.length + wrong.length, Errors: unread.length })
  await user.browser.press(page, 'Import contacts', { campaign_id: '' })
  await waitUntilSettled(user, path)
  const imported = (await listContacts(user)).map((contact) => contact.phone_number)
  const expected = new Set(countryCases.map(([, code]) => exampleNumber(code).e164))
  expect(imported.toSorted()).toEqual([...expected].toSorted())
})

it('in the form for a contact, reads the countries of the shared test cases, and rejects unreadable ones', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/contacts/new')
  for (const [text, code] of countryCases) {
    const { national, e164 } = exampleNumber(code)
    const { page } = await user.browser.press(form, 'Add contact', { phone_number: national, country: text })
    expect([text, page.text]).toEqual([text, expect.stringContaining(e164)])
  }
  for (const country of unreadableCountries.filter((text) => text !== '')) {
    const { page } = await user.browser.press(form, 'Add contact', { phone_number: '2025550100', country })
    expect([country, page.status, page.text]).toEqual([
      country,
      422,
      expect.stringContaining("This country isn't known. Enter its two-letter code, for example US."),
    ])
  }
  const known = await user.browser.press(form, 'Add contact', {
    phone_number: '+442079460018',
    country: 'Texas',
  })
  expect(known.page.text).toContain('+442079460018')
})

it("the import page says that dates have the month first and are in the workspace's time zone", async () => {
  const user = await seedSignedInOwner(world.service)
  expect((await user.open('/contacts/import')).text).toContain(
    'Dates without a time zone are in America/New_York. In a date such as 12/01/2026, the month comes first.',
  )
})

it('in forms, reads the dates of the shared test cases, and rejects unreadable ones', () => {
  for (const [text, timeZone, moment] of dateCases.filter(([typed]) => typed !== '')) {
    const read = () => parseLocalDateField('consent.at', text, timeZone)
    if (moment === undefined) expect(read).toThrow()
    else expect([text, read().toISOString()]).toEqual([text, moment])
  }
})
