import { expect, it } from '@jest/globals'
import { exampleContactAdded } from '@outdial/contract'
import {
  apiPath,
  parseBody,
  run,
  runExpectingError,
  type SentRequest,
  stubResponse,
} from '../support/connector.ts'
import { countryCases, unreadableCountries } from './cases/countries.ts'
import { dateCases } from './cases/dates.ts'
import { yesNoCases } from './cases/yes-no.ts'

const perform = 'creates.queue_call.operation.perform'
const required = { campaign_id: 12, phone_number: '2025550100' }
/** The part of the request's body that the step sends in every test. */
const sent = { ...required, lenient: true }
const isFilled = ([text]: readonly [text: string, ...unknown[]]) => text.trim() !== ''

/** Runs Queue Call, and returns the body that it sends to Outdial. */
async function queue(inputData: object, timezone: string | null): Promise<unknown> {
  const requests: SentRequest[] = stubResponse('POST', apiPath('/contacts/'), 201, exampleContactAdded)
  await run(perform, { inputData: { ...required, ...inputData }, meta: { timezone } })
  return parseBody(requests)
}

/** Runs Queue Call, which must fail before it sends a request, and returns the error message. */
const findError = async (inputData: object, timezone: string | null) =>
  (await runExpectingError(perform, { inputData: { ...required, ...inputData }, meta: { timezone } })).message

it("Queue Call reads the dates of the shared test table in the Zap's time zone", async () => {
  for (const [text, timeZone, moment] of dateCases.filter(isFilled)) {
    const input = { scheduled_at: text, consent_source: 'Form', consent_at: text }
    const result = moment === undefined ? await findError(input, timeZone) : await queue(input, timeZone)
    expect({ text, result }).toEqual({
      text,
      result:
        moment === undefined
          ? 'Earliest Call Time must be a date and time, for example 2026-05-04 09:30.'
          : { ...sent, scheduled_at: moment, consent: { source: 'Form', at: moment } },
    })
  }
})

it('Queue Call asks for a time zone if neither the text nor Zapier gives one', async () => {
  expect(await findError({ scheduled_at: '11/26/26 09:30AM +1d' }, null)).toBe(
    'Earliest Call Time has no time zone. Add a time zone, for example 2026-11-26 09:30 EST.',
  )
  expect(await queue({ scheduled_at: '11/26/26 09:30AM EST +1d' }, null)).toEqual({
    ...sent,
    scheduled_at: '2026-11-27T14:30:00.000Z',
  })
})

it('Queue Call reads the answers of the shared test table for Test Call and Do Not Call', async () => {
  for (const [text, answer, doNotCall] of yesNoCases.filter(isFilled))
    for (const [key, label, expected] of [
      ['test', 'Test Call', answer],
      ['do_not_call', 'Do Not Call', doNotCall],
    ] as const) {
      const input = { [key]: text }
      const result = expected === undefined ? await findError(input, 'UTC') : await queue(input, 'UTC')
      expect({ text, key, result }).toEqual({
        ...{ text, key },
        result: expected === undefined ? `${label} must be Yes or No.` : { ...sent, [key]: expected },
      })
    }
})

it('Queue Call reads the countries of the shared test table, and sends ZZ for an unreadable country', async () => {
  for (const [country, code] of countryCases)
    expect([country, await queue({ country }, 'UTC')]).toEqual([country, { ...sent, country: code }])
  // These countries don't exist, so ZZ is sent. The API then accepts only numbers with a country code.
  for (const country of unreadableCountries.filter((text) => text !== ''))
    expect([country, await queue({ country }, 'UTC')]).toEqual([country, { ...sent, country: 'ZZ' }])
})
