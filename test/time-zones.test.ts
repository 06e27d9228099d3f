import { expect, it } from '@jest/globals'
import { exampleContactAdded } from '@outdial/contract'
import { apiPath, parseBody, run, runExpectingError, stubResponse } from './support/connector.ts'
import { timeZoneCases } from './support/time-zone-cases.ts'

const perform = 'creates.queue_call.operation.perform'
const toBundle = ({ text, phoneNumber }: { text: string; phoneNumber: string }) => ({
  inputData: { campaign_id: 12, phone_number: phoneNumber, time_zone: text },
})

it("sends a time zone's IANA name, but sends an American name as typed if its meaning depends on the phone number", async () => {
  const readable = timeZoneCases.filter(({ timeZone, dependsOnNumber }) => timeZone ?? dependsOnNumber)
  for (const timeZoneCase of readable) {
    const { text, timeZone, dependsOnNumber } = timeZoneCase
    const requests = stubResponse('POST', apiPath('/contacts/'), 201, exampleContactAdded)
    await run(perform, toBundle(timeZoneCase))
    expect(parseBody(requests)).toMatchObject({ time_zone: dependsOnNumber ? text : timeZone })
  }
})

it("stops the run if the text isn't a time zone and doesn't look like an IANA name", async () => {
  const unreadable = timeZoneCases.filter(
    ({ text, timeZone, dependsOnNumber }) =>
      timeZone === undefined && !dependsOnNumber && !/^[a-z]{2,}\//i.test(text),
  )
  expect(unreadable.length).toBeGreaterThan(15)
  for (const timeZoneCase of unreadable) {
    const { message } = await runExpectingError(perform, toBundle(timeZoneCase))
    expect(message).toContain('must be a time zone, for example New York or America/New_York.')
  }
})
