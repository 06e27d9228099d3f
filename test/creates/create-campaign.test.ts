import { expect, it } from '@jest/globals'
import { exampleAgent, examplePhoneNumber } from '@outdial/contract'
import { sampleCampaign } from '../../src/generated.ts'
import { apiPath, errorBody, parseBody, run, runExpectingError, stubResponse } from '../support/connector.ts'

const perform = 'creates.create_campaign.operation.perform'
const required = { name: 'Website leads', agent_id: 1, phone_number_id: 1 }

it('creates a campaign with everything that the user filled in', async () => {
  const warnings = [
    { field: 'retry.max_attempts', code: 'frequency', message: 'Retries after that wait.' },
    { field: 'calling_hours', code: 'no_permitted_hour', message: "Numbers in Florida aren't called." },
  ]
  const requests = stubResponse('POST', apiPath('/campaigns/'), 201, { ...sampleCampaign, warnings })

  const output = await run(perform, {
    inputData: {
      ...required,
      time_zone: 'Europe/Berlin',
      calling_hours_days: ['mon', 'Tuesday'],
      calling_hours_start: '8:30',
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
  expect(output).toEqual({
    ...sampleCampaign,
    warnings: "Maximum Attempts: Retries after that wait. Calling Hours: Numbers in Florida aren't called.",
  })
})

it("leaves Warnings blank if an earlier version of the service doesn't return warnings", async () => {
  stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)
  expect(await run(perform, { inputData: required })).toMatchObject({ warnings: '' })
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

it('converts an American time zone name to an IANA name, even though the form has no phone number', async () => {
  for (const [time_zone, zone] of [
    ['Mountain Standard Time', 'America/Denver'],
    ['(GMT-05:00) Eastern Time', 'America/New_York'],
    ['us_slash_eastern', 'America/New_York'],
    ['Alaskan Standard Time', 'America/Anchorage'],
  ]) {
    const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)
    await run(perform, { inputData: { ...required, time_zone } })
    expect([time_zone, parseBody(requests)]).toEqual([time_zone, { ...required, time_zone: zone }])
  }
})

it('in an error about one item of a list, names the field by its label', async () => {
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
    await runExpectingError(perform, { inputData: { ...required, calling_hours_days: ['mon'] } }),
  ).toEqual({
    name: 'AppError',
    code: 'validation_failed',
    status: 422,
    message: 'Calling Days must be a day. (Request ID: req_42)',
  })
})

it.each([
  ['9:00', '09:00'],
  ['09:00:00', '09:00'],
  ['9 AM', '09:00'],
  ['12:15 a.m.', '00:15'],
  ['5:30pm', '17:30'],
  ['5   PM', '17:00'],
  ['24:00', '24:00'],
])('understands %s as a time of day', async (typed, expected) => {
  const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)

  await run(perform, { inputData: { ...required, calling_hours_start: typed } })

  expect(parseBody(requests)).toEqual({ ...required, calling_hours: { start: expected } })
})

it.each(['nine', 'at 9:00', '9:00 sharp', '9 x', '9', '9:0'])(
  "doesn't read %s as a time of day",
  async (typed) => {
    expect(
      await runExpectingError(perform, { inputData: { ...required, calling_hours_start: typed } }),
    ).toMatchObject({ message: 'Calling Hours Start must be a time of day, for example 09:00.' })
  },
)

it('finds an agent by its typed name, and a phone number by its typed number', async () => {
  const page = (results: object[]) => ({ results, next: null, previous: null })
  const agents = stubResponse(
    'GET',
    apiPath('/agents/'),
    200,
    page([{ ...exampleAgent, id: 4, name: 'Ava' }]),
  )
  stubResponse('GET', apiPath('/phone-numbers/'), 200, page([{ ...examplePhoneNumber, id: 5 }]))
  const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)

  await run(perform, { inputData: { ...required, agent_id: ' ava ', phone_number_id: '+12025550199' } })

  expect(agents[0]?.url.searchParams.get('search')).toBe('ava')
  expect(parseBody(requests)).toEqual({ ...required, agent_id: 4, phone_number_id: 5 })
})

it.each([
  ['Ava · en-US', 'Sales, Washington (+12025550199)'],
  ['ava · EN-US · ID 4', '+1 202 555 0199'],
  ['Ava · en-US', '+1 (202) 555-0199'],
])(
  'finds an agent and a phone number that were typed as the dropdowns show them: %s, %s',
  async (agent_id, phone_number_id) => {
    const agents = [
      { ...exampleAgent, id: 4 },
      { ...exampleAgent, id: 5, language: 'es-MX' },
    ]
    for (const results of [[], agents]) stubResponse('GET', apiPath('/agents/'), 200, { results })
    for (const results of [[], [{ ...examplePhoneNumber, id: 6 }]])
      stubResponse('GET', apiPath('/phone-numbers/'), 200, { results })
    const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)

    await run(perform, { inputData: { ...required, agent_id, phone_number_id } })

    expect(parseBody(requests)).toEqual({ ...required, agent_id: 4, phone_number_id: 6 })
  },
)

it('if several agents have the typed name, fails with an error that lists these agents', async () => {
  const results = [
    { ...exampleAgent, id: 4 },
    { ...exampleAgent, id: 5, language: 'es-MX' },
  ]
  stubResponse('GET', apiPath('/agents/'), 200, { results })

  expect(await runExpectingError(perform, { inputData: { ...required, agent_id: 'Ava' } })).toMatchObject({
    message:
      'Agent is the name of more than one. Choose from the list, or map an ID. Found: Ava · en-US · ID 4; Ava · es-MX · ID 5.',
  })
})

it('finds an agent and a phone number whose names consist of digits', async () => {
  for (const field of ['agent_id', 'phone_number_id']) {
    const details = [{ field, code: 'not_found', message: `${field} isn't found.` }]
    stubResponse('POST', apiPath('/campaigns/'), 404, errorBody('not_found', "It isn't found.", details))
  }
  stubResponse('GET', apiPath('/agents/'), 200, { results: [{ ...exampleAgent, id: 4, name: '007' }] })
  const numbers = [{ ...examplePhoneNumber, id: 5, label: '12' }]
  stubResponse('GET', apiPath('/phone-numbers/'), 200, { results: numbers })
  const requests = stubResponse('POST', apiPath('/campaigns/'), 201, sampleCampaign)

  await run(perform, { inputData: { ...required, agent_id: '007', phone_number_id: '12' } })

  expect(parseBody(requests)).toEqual({ ...required, agent_id: 4, phone_number_id: 5 })
})
