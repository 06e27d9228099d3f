import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import * as contract from '@outdial/contract'
import { countryNamesFile, generateCountryNames } from '../scripts/country-names.ts'
import { generatedFile, generateText } from '../scripts/generated-text.ts'
import { generateTimeZoneNames, timeZoneNamesFile } from '../scripts/time-zone-names.ts'
import * as generated from '../src/generated.ts'

it('src/generated.ts is up to date with the contract: run `npm run generate` if this fails', async () => {
  const file = await readFile(generatedFile, 'utf8')

  expect(file).toBe(await generateText())
})

it('the generated country names match Node and i18n-iso-countries: run `npm run generate` if this fails', async () => {
  expect(await readFile(countryNamesFile, 'utf8')).toBe(await generateCountryNames())
})

it('the generated time zone names match CLDR: run `npm run generate` if this fails', async () => {
  expect(await readFile(timeZoneNamesFile, 'utf8')).toBe(await generateTimeZoneNames())
})

it('the generated sample campaign is valid according to the contract', () => {
  expect(contract.Campaign.parse(generated.sampleCampaign)).toEqual(generated.sampleCampaign)
})

it.each([generated.sampleCall, generated.sampleQueuedCall])(
  'generated sample call %# is valid according to the contract, and has no keys that users choose',
  (sample) => {
    const contact = { ...sample.contact, variables: {} }
    expect(contract.Call.safeParse({ ...sample, contact, extracted: {}, metadata: {} }).error).toBeUndefined()
    expect(sample).not.toHaveProperty('extracted')
    expect(sample).not.toHaveProperty('metadata')
    expect(sample.contact).not.toHaveProperty('variables')
  },
)

it('the generated fields name nested values, lists of objects, and lists of text as Zapier does', () => {
  expect(generated.callFields).toEqual(
    expect.arrayContaining([
      { key: 'id', label: 'ID', type: 'integer', primary: true },
      { key: 'contact__first_name', label: 'Contact First Name', type: 'string' },
      { key: 'contact__consent__at', label: 'Contact Consent Date', type: 'datetime' },
      { key: 'contact__consent__kind', label: 'Contact Consent Kind', type: 'string' },
      { key: 'transcript[]text', label: 'Transcript Turn Text', type: 'string' },
      { key: 'transcript_text', label: 'Full Transcript', type: 'string' },
      { key: 'goal_met', label: 'Goal Met', type: 'boolean' },
    ]),
  )
  expect(generated.campaignFields).toContainEqual({
    key: 'retry__on',
    label: 'Outcomes to Retry',
    type: 'string',
    list: true,
  })
})
