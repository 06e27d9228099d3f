import assert from 'node:assert/strict'
import { readConsentKind } from '../../reading/consent-kind.ts'
import { readCountry } from '../../reading/country.ts'
import { readDateTime, toMoment } from '../../reading/date-time.ts'
import { readAmericanTimeZone, readTimeZone } from '../../reading/time-zone.ts'
import { readDoNotCall, readYesNo } from '../../reading/yes-no.ts'
import { timeZoneCases, zonesOfPlaces } from '../support/time-zone-cases.ts'
import { consentKindCases, unreadableConsentKinds } from './cases/consent-kinds.ts'
import { countryCases, unreadableCountries } from './cases/countries.ts'
import { dateCases } from './cases/dates.ts'
import { yesNoCases } from './cases/yes-no.ts'

// This script doesn't use Jest, so that it also runs with Zapier's version of Node: `npm run check:node22`.

for (const [text, kind] of consentKindCases) assert.equal(readConsentKind(text), kind, text)
for (const text of unreadableConsentKinds) assert.equal(readConsentKind(text), undefined, text)
for (const [text, code, as] of countryCases) assert.deepEqual(readCountry(text), { code, as }, text)
for (const text of unreadableCountries) assert.equal(readCountry(text), undefined, text)
for (const [text, timeZone, moment] of dateCases) {
  const typed = readDateTime(text)
  assert.equal(typed && new Date(toMoment(typed, timeZone)).toISOString(), moment, text)
}
for (const [text, answer, doNotCall] of yesNoCases)
  assert.deepEqual([readYesNo(text), readDoNotCall(text)], [answer, doNotCall], text)
for (const { text, place, timeZone } of timeZoneCases)
  assert.equal(readTimeZone(text) ?? readAmericanTimeZone(text, zonesOfPlaces[place]), timeZone, text)

const kinds = [consentKindCases, unreadableConsentKinds].flat().length
const count = kinds + [countryCases, unreadableCountries, dateCases, yesNoCases, timeZoneCases].flat().length
process.stdout.write(`${count} texts are read as expected with Node ${process.versions.node}.\n`)
