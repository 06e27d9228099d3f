import { expect, it } from '@jest/globals'
import { sampleCampaign } from '../../src/generated.ts'
import { apiPath, errorBody, parseBody, run, runExpectingError, stubResponse } from '../support/connector.ts'

const perform = 'creates.create_campaign.operation.perform'
const required = { name: 'Website leads', agent_id: 1, phone_number_id: 1 }

it('creates a campaign with everything that the user filled in', async () => {
  const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)

  const output = await run(perform, {
    inputData: {
      ...required,
      time_zone: 'Europe/Berlin',
      calling_hours_days: ['mon', 'tue'],
      calling_hours_start: '08:30',
      calling_hours_end: '24:00',
      max_concurrent_calls: 10,
      retry_max_attempts: '2',
      retry_delay_minutes: 30,
      retry_on: ['busy'],
    },
  })

  expect(parseBody(requests)).toEqual({
    ...required,
    time_zone: 'Europe/Berlin',
    calling_hours: { days: ['mon', 'tue'], start: '08:30', end: '24:00' },
    max_concurrent_calls: 10,
    retry: { max_attempts: 2, delay_minutes: 30, on: ['busy'] },
  })
  expect(output).toEqual(sampleCampaign)
})

it("omits blank fields, so the workspace's defaults apply", async () => {
  const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)

  await run(perform, {
    inputData: {
      ...required,
      time_zone: '',
      calling_hours_days: [],
      calling_hours_start: '',
      retry_on: null,
    },
  })

  expect(parseBody(requests)).toEqual(required)
})

it('names the invalid field, even for an item of a list', async () => {
  const details = [
    { field: 'calling_hours.days.0', code: 'invalid', message: 'calling_hours.days.0 must be a day.' },
  ]
  stubResponse(
    'POST',
    apiPath('/campaigns/'),
    422,
    errorBody('validation_failed', 'calling_hours.days.0 must be a day.', details),
  )

  expect(
    await runExpectingError(perform, { inputData: { ...required, calling_hours_days: ['someday'] } }),
  ).toEqual({
    name: 'HaltedError',
    message: 'Calling Days must be a day. (Request ID: req_42)',
  })
})
