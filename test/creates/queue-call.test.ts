// cspell:ignore Zażółć gęślą jaźń
import { describe, expect, it } from '@jest/globals'
import {
  type Campaign,
  detailTexts,
  errorTexts,
  exampleContactAdded,
  toErrorMessage,
} from '@outdial/contract'
import { queueCall } from '../../src/creates/queue-call.ts'
import { sampleCampaign } from '../../src/generated.ts'
import {
  apiPath,
  errorBody,
  parseBody,
  run,
  runExpectingError,
  stubFailure,
  stubResponse,
} from '../support/connector.ts'

const perform = 'creates.queue_call.operation.perform'
const required = { campaign_id: 12, phone_number: '+12025550100' }
/** The part of the request's body that the step sends in every test. */
const sent = { ...required, lenient: true }
const queued = () => stubResponse('POST', apiPath('/contacts/'), 201, exampleContactAdded)

it('queues a call with everything that the user filled in', async () => {
  const requests = queued()

  const output = await run(perform, {
    inputData: {
      ...required,
      phone_number: '(202) 555-0100',
      country: 'us',
      first_name: 'Maya',
      external_reference: 'crm-2291',
      time_zone: 'America/New_York',
      variables: { product: 'Roof inspection', rooms: 4 },
      scheduled_at: '2026-12-01T09:00:00-05:00',
      if_already_queued: 'queue',
      test: true,
      consent_source: 'Website form',
      consent_at: '2026-11-20T09:00:00-05:00',
      consent_kind: 'Written',
      do_not_call: false,
      metadata: { lead: '7' },
    },
  })

  expect(parseBody(requests)).toEqual({
    ...sent,
    phone_number: '(202) 555-0100',
    country: 'US',
    first_name: 'Maya',
    external_id: 'crm-2291',
    time_zone: 'America/New_York',
    variables: { product: 'Roof inspection', rooms: '4' },
    scheduled_at: '2026-12-01T14:00:00.000Z',
    if_already_queued: 'queue',
    test: true,
    consent: { source: 'Website form', at: '2026-11-20T14:00:00.000Z', kind: 'written' },
    do_not_call: false,
    metadata: { lead: '7' },
  })
  expect(requests[0]?.headers.authorization).toBe('Bearer token-1')
  expect(output).toEqual({
    ...exampleContactAdded.call,
    outcome_label: null,
    reached: false,
    recording: null,
    transcript_file: null,
    contact_created: true,
    call_queued: true,
    warnings: '',
  })
})

it('omits blank values, even inside dictionaries, so stored data stays unchanged', async () => {
  const requests = queued()

  await run(perform, {
    inputData: {
      ...required,
      country: '',
      first_name: '',
      last_name: null,
      email: '   ',
      variables: { product: '', size: null, color: 'red', '': 'a key that is blank' },
      metadata: { lead: '' },
      consent_source: '',
      consent_at: null,
      consent_kind: ' ',
      test: false,
    },
  })

  expect(parseBody(requests)).toEqual({ ...sent, variables: { color: 'red' }, test: false })
})

it.each([
  'a {{curly}} and a {{bundle.authData.access_token}} and {{process.env.CLIENT_SECRET}}',
  'a tab\tand a\nnew line',
  'Zażółć gęślą jaźń 你好 😀 👩‍👩‍👧 \u202eright to left “quotes” — dash \\ "',
])('sends text exactly as typed: %j', async (text) => {
  const requests = queued()

  await run(perform, { inputData: { ...required, first_name: text, variables: { note: text } } })

  expect(parseBody(requests)).toEqual({ ...sent, first_name: text, variables: { note: text } })
})

it('trims fields, but not the values of variables and metadata', async () => {
  const requests = queued()

  await run(perform, {
    inputData: {
      ...required,
      phone_number: ' +12025550100 ',
      email: ' maya@example.com\n',
      external_reference: ' 7 ',
      time_zone: ' america/new_york ',
      variables: { note: ' as typed ' },
      metadata: { lead: ' 7 ' },
    },
  })

  expect(parseBody(requests)).toEqual({
    ...sent,
    email: 'maya@example.com',
    external_id: '7',
    time_zone: 'America/New_York',
    variables: { note: ' as typed ' },
    metadata: { lead: ' 7 ' },
  })
})

it.each([
  ['United States', 'US'],
  ['usa', 'US'],
])('understands the country %s', async (country, code) => {
  const requests = queued()

  await run(perform, { inputData: { ...required, phone_number: '2025550100', country } })

  expect(parseBody(requests)).toEqual({ ...sent, phone_number: '2025550100', country: code })
})

it.each(['n/a', 'Unknown'])(
  'sends the unknown country %s as ZZ, so that the API accepts only a number with a country code',
  async (country) => {
    const requests = queued()

    await run(perform, { inputData: { ...required, country } })

    expect(parseBody(requests)).toEqual({ ...sent, country: 'ZZ' })
  },
)

it.each(["'+12025550100", '2025550100.0', 'p:+12025550100', '(202) 555-0100 ext 5'])(
  'sends the phone number %s as typed, because the API interprets it',
  async (phone_number) => {
    const requests = queued()

    await run(perform, { inputData: { ...required, phone_number } })

    expect(parseBody(requests)).toEqual({ ...sent, phone_number })
  },
)

it('if Do Not Call is Yes, sends all phone numbers of the person', async () => {
  const requests = queued()

  await run(perform, {
    inputData: { ...required, phone_number: ['+12025550100', '+12025550103'], do_not_call: 'Yes' },
  })

  expect(parseBody(requests)).toMatchObject({
    phone_number: '+12025550100, +12025550103',
    do_not_call: true,
  })
})

describe('a typed campaign name', () => {
  const campaigns = (...results: Partial<Campaign>[]) =>
    stubResponse('GET', apiPath('/campaigns/'), 200, {
      results: results.map((campaign) => ({ ...sampleCampaign, ...campaign })),
    })
  const queueInto = (campaign_id: string) => ({ inputData: { ...required, campaign_id } })

  it('selects the campaign with exactly this name, ignoring upper and lower case', async () => {
    const searches = campaigns({ id: 1, name: 'Q1 leads, old' }, { id: 2, name: 'Q1 Leads' })
    const requests = queued()

    await run(perform, queueInto(' q1 leads '))

    expect(Object.fromEntries(searches[0]?.url.searchParams ?? [])).toEqual({
      search: 'q1 leads',
      limit: '200',
      offset: '0',
    })
    expect(parseBody(requests)).toEqual({ ...sent, campaign_id: 2 })
  })

  it("selects the campaign that isn't archived if two campaigns have this name", async () => {
    campaigns({ id: 1, name: 'Q1 leads', status: 'archived' }, { id: 2, name: 'Q1 leads', status: 'paused' })
    const requests = queued()

    await run(perform, queueInto('Q1 leads'))

    expect(parseBody(requests)).toEqual({ ...sent, campaign_id: 2 })
  })

  it("selects the campaign even if it's on the second page of the search", async () => {
    campaigns(...Array.from({ length: 200 }, (_, id) => ({ id: id + 1, name: `Q1 leads ${id}` })))
    const second = campaigns({ id: 201, name: 'Q1 leads' })
    const requests = queued()

    await run(perform, queueInto('Q1 leads'))

    expect(second[0]?.url.searchParams.get('offset')).toBe('200')
    expect(parseBody(requests)).toEqual({ ...sent, campaign_id: 201 })
  })

  it('is rejected if no campaign has exactly this name, and the error lists up to three similar names', async () => {
    const names = ['Q1 leads, old', 'Q1', 'Summer leads, Q1', 'Winter leads', 'Q2']
    const found = names.map((name, index) => ({ id: index + 1, name }))
    campaigns(...found.slice(0, 1))
    campaigns(...found, { id: 9, name: 'Q1 leads, archived', status: 'archived' })

    expect(await runExpectingError(perform, queueInto('Q1 leads'))).toEqual({
      name: 'AppError',
      code: 'invalid_input',
      message:
        "Campaign isn't the ID or the exact name of a campaign. Choose from the list, or map an ID. Similar: Q1 leads, old · ID 1; Summer leads, Q1 · ID 3; Q1 · ID 2.",
    })
  })

  it('is rejected if several campaigns have this name, and the error lists up to three of these campaigns', async () => {
    campaigns(...[1, 2, 3, 4].map((id) => ({ id, name: 'Q1 leads' })))

    expect(await runExpectingError(perform, queueInto('q1 LEADS'))).toEqual({
      name: 'AppError',
      code: 'invalid_input',
      message:
        'Campaign is the name of more than one. Choose from the list, or map an ID. Found: Q1 leads · ID 1; Q1 leads · ID 2; Q1 leads · ID 3.',
    })
  })

  it('is rejected with an error that shortens long names of similar campaigns', async () => {
    campaigns()
    campaigns({ id: 1, name: `Q1 ${'x'.repeat(197)}` })

    const { message } = await runExpectingError(perform, queueInto('Q1 leads'))
    expect(message).toContain(`Similar: Q1 ${'x'.repeat(37)} · ID 1.`)
  })

  it.each(['Q1 leads (paused)', 'q1 leads (paused) · ID 2'])(
    'can be the text that the dropdown shows: %s',
    async (typed) => {
      campaigns()
      campaigns({ id: 1, name: 'Q1' }, { id: 2, name: 'Q1 leads', status: 'paused' })
      const requests = queued()

      await run(perform, queueInto(typed))

      expect(parseBody(requests)).toEqual({ ...sent, campaign_id: 2 })
    },
  )

  const details = [{ field: 'campaign_id', code: 'not_found', message: 'campaign_id has no campaign.' }]
  const notFound = errorBody('not_found', 'campaign_id has no campaign.', details)

  it('can consist of digits if no campaign has these digits as its ID', async () => {
    const first = stubResponse('POST', apiPath('/contacts/'), 404, notFound)
    const search = campaigns({ id: 7, name: '2026' }, { id: 8, name: '2026 leads' })
    const second = queued()

    await run(perform, { inputData: { ...queueInto('2026').inputData, deduplication_key: 'entry 7' } })

    expect(first[0]?.headers['idempotency-key']).not.toBe(second[0]?.headers['idempotency-key'])
    expect(parseBody(first)).toEqual({ ...sent, campaign_id: 2026 })
    expect(search[0]?.url.searchParams.get('search')).toBe('2026')
    expect(parseBody(second)).toEqual({ ...sent, campaign_id: 7 })
  })

  it.each([[[]], [['2026', '2026']], [['2026 leads']]])(
    "is rejected if it's a number that isn't an ID and the search finds campaigns with the names %j",
    async (names) => {
      stubResponse('POST', apiPath('/contacts/'), 404, notFound)
      campaigns(...names.map((name, index) => ({ id: index + 7, name })))

      expect(await runExpectingError(perform, queueInto('2026'))).toMatchObject({
        message: 'Campaign has no campaign. (Request ID: req_42)',
        status: 404,
      })
    },
  )

  it('is rejected without a search by name if it has more than 200 characters', async () => {
    const all = campaigns()
    expect(await runExpectingError(perform, queueInto('x'.repeat(201)))).toMatchObject({
      name: 'AppError',
    })
    expect(all[0]?.url.searchParams.has('search')).toBe(false)
  })
})

describe('in the Zap editor', () => {
  it.each([
    ['', true],
    [null, true],
    ['Yes', true],
    ['no', false],
  ])('if Test Call is %j, sends the value %j as `test`', async (test, expected) => {
    const requests = queued()

    await run(perform, { inputData: { ...required, test }, meta: { isLoadingSample: true } })

    expect(parseBody(requests)).toEqual({ ...sent, test: expected })
  })

  it("doesn't use up the deduplication key, because the next test or the real run can have other data", async () => {
    const inputData = { ...required, deduplication_key: 'entry-9' }
    const tested = queued()
    await run(perform, { inputData, meta: { isLoadingSample: true } })
    const real = queued()
    await run(perform, { inputData, meta: { isLoadingSample: false } })

    expect(tested[0]?.headers).not.toHaveProperty('idempotency-key')
    expect(real[0]?.headers).toHaveProperty('idempotency-key')
  })

  it("doesn't add the number to the do-not-call list, but checks that Do Not Call is Yes or No", async () => {
    const requests = queued()
    const meta = { isLoadingSample: true }

    await run(perform, { inputData: { ...required, do_not_call: 'yes' }, meta })

    expect(parseBody(requests)).toEqual({ ...sent, test: true })
    const inputData = { ...required, do_not_call: 'n/a' }
    expect(await runExpectingError(perform, { inputData, meta })).toMatchObject({
      message: 'Do Not Call must be Yes or No.',
    })
  })

  it.each(['queue_call', 'queue_call_and_wait'])(
    '%s simulates the call if Do Not Call is Yes, even if Test Call is No',
    async (key) => {
      const requests = queued()

      await run(`creates.${key}.operation.perform`, {
        inputData: { ...required, do_not_call: 'yes', test: 'no' },
        meta: { isLoadingSample: true },
      })

      expect(parseBody(requests)).toEqual({ ...sent, test: true })
    },
  )

  it('says on the form that no phone rings when the step is tested', () => {
    const [note] = queueCall.operation.inputFields
    expect(note).toMatchObject({ type: 'copy', helpText: expect.stringContaining('no phone rings') })
  })
})

describe('a contact whose Do Not Call is Yes', () => {
  const optOut = { ...required, do_not_call: 'yes' }
  const listed = () => stubResponse('POST', apiPath('/do-not-call/'), 200, { do_not_call: true })

  it.each([
    { time_zone: 'Chicago, IL' },
    { scheduled_at: 'tomorrow' },
    { test: 'perhaps' },
    { variables: 'product: roof' },
    { first_name: ['a', 'b'] },
    { if_already_queued: 'perhaps' },
  ])(
    'is added to the do-not-call list before the step stops because of the invalid input %j',
    async (inputData) => {
      const requests = listed()

      const error = await runExpectingError(perform, { inputData: { ...optOut, ...inputData } })

      expect(error.message).toMatch(/must/)
      expect(parseBody(requests)).toEqual({ phone_number: required.phone_number })
    },
  )

  it('is added to the do-not-call list before the step stops because of an unknown campaign', async () => {
    stubResponse('GET', apiPath('/campaigns/'), 200, { results: [] })
    stubResponse('GET', apiPath('/campaigns/'), 200, { results: [] })
    const requests = listed()

    await runExpectingError(perform, { inputData: { ...optOut, campaign_id: 'Q1' } })

    expect(parseBody(requests)).toEqual({ phone_number: required.phone_number })
  })

  it('is accepted by Queue Call and Wait even with a time too far ahead, because the call ends immediately', async () => {
    const requests = queued()

    await run('creates.queue_call_and_wait.operation.perform', {
      inputData: { ...optOut, scheduled_at: new Date(Date.now() + 40 * 86_400_000).toISOString() },
      callbackUrl: 'https://zapier.com/hooks/callback/1/',
    })

    expect(parseBody(requests)).toMatchObject({ do_not_call: true })
  })

  it.each([502, 503, 504])(
    'is sent again after a response with status %d, because Zapier repeats the step',
    async (status) => {
      stubResponse('POST', apiPath('/contacts/'), status)

      expect(await runExpectingError(perform, { inputData: optOut })).toMatchObject({
        name: 'ThrottledError',
      })
    },
  )

  it('is sent again after a lost connection, even by Queue Call and Wait, because Zapier repeats the step', async () => {
    for (const key of ['queue_call', 'queue_call_and_wait']) {
      stubFailure('POST', apiPath('/contacts/'), 'ECONNRESET')
      const bundle = { inputData: optOut, callbackUrl: 'https://zapier.com/hooks/callback/1/' }
      const method = `creates.${key}.operation.perform`
      expect(await runExpectingError(method, bundle)).toMatchObject({ name: 'ThrottledError' })
    }
  })

  it('makes the run fail after status 500, and the error says that the number may already be on the list', async () => {
    stubResponse('POST', apiPath('/contacts/'), 500)

    expect(await runExpectingError(perform, { inputData: optOut })).toMatchObject({
      name: 'AppError',
      message: expect.stringContaining('The number may already be on the do-not-call list.'),
    })
  })
})

it('places a real call when the Zap is on and Test Call is blank', async () => {
  const requests = queued()

  await run(perform, { inputData: { ...required, test: '' }, meta: { isLoadingSample: false } })

  expect(parseBody(requests)).toEqual(sent)
})

it.each([
  ...['Yes', 'yes', 'TRUE', 'y', '1', 1, true].map((answer) => [answer, true] as const),
  ...['No', 'no', 'False', 'N', '0', 0, false].map((answer) => [answer, false] as const),
])('understands %j as Yes or No', async (answer, expected) => {
  const requests = queued()

  await run(perform, { inputData: { ...required, do_not_call: answer } })

  expect(parseBody(requests)).toEqual({ ...sent, do_not_call: expected })
})

it.each(['12.00', '12.0'])('accepts the campaign ID %s, as a spreadsheet writes it', async (id) => {
  const requests = queued()

  await run(perform, { inputData: { ...required, campaign_id: id } })

  expect(parseBody(requests)).toEqual(sent)
})

it.each(['12 leads', '12.5'])("doesn't read %s as the ID of a campaign", async (name) => {
  for (const results of [[], []]) stubResponse('GET', apiPath('/campaigns/'), 200, { results })

  expect(await runExpectingError(perform, { inputData: { ...required, campaign_id: name } })).toMatchObject({
    message: expect.stringContaining("Campaign isn't the ID"),
  })
})

it.each(['asap', 'in 2 hours', 'n/a', '2026-13-40'])(
  'fails for the earliest call time %s instead of calling immediately',
  async (scheduled_at) => {
    expect(await runExpectingError(perform, { inputData: { ...required, scheduled_at } })).toEqual({
      name: 'AppError',
      code: 'invalid_input',
      message: 'Earliest Call Time must be a date and time, for example 2026-05-04 09:30.',
    })
  },
)

it("lets Zapier run the step at most 500 times a minute per connection, which is below the API's rate limit", () => {
  expect(queueCall.operation.throttle).toEqual({ window: 60, limit: 500, scope: ['auth'] })
})

it('accepts a campaign ID that was mapped as text', async () => {
  const requests = queued()

  await run(perform, { inputData: { ...required, campaign_id: ' 12 ' } })

  expect(parseBody(requests)).toEqual(sent)
})

it('converts numbers to text if they were mapped into text fields', async () => {
  const requests = queued()

  await run(perform, {
    inputData: { ...required, phone_number: 12025550100, first_name: 7, external_reference: 2291 },
  })

  expect(parseBody(requests)).toEqual({
    ...sent,
    phone_number: '12025550100',
    first_name: '7',
    external_id: '2291',
  })
})

it('derives the same idempotency key from the same deduplication key, whatever characters that key has', async () => {
  const first = queued()
  const second = queued()
  const other = queued()

  for (const key of ['form — 7 ✓', ' form — 7 ✓ ', 'form — 8 ✓']) {
    await run(perform, { inputData: { ...required, deduplication_key: key } })
  }

  const header = (requests: typeof first) => requests[0]?.headers['idempotency-key']
  expect(header(first)).toMatch(/^zap-[0-9a-f]{64}$/)
  expect(header(second)).toBe(header(first))
  expect(header(other)).not.toBe(header(first))
})

it("sends different idempotency keys for two campaigns, because two Zaps can use a form's IDs as deduplication keys", async () => {
  const first = queued()
  const second = queued()

  for (const campaign_id of [12, 13])
    await run(perform, { inputData: { ...required, campaign_id, deduplication_key: 'entry 7' } })

  expect(first[0]?.headers['idempotency-key']).not.toBe(second[0]?.headers['idempotency-key'])
})

it('if a deduplication key is reused with different data, names the earlier call in the error', async () => {
  const url = 'https://outdial.example.com/w/1/calls/7'
  const values = { id: 7, url }
  stubResponse('POST', apiPath('/contacts/'), 422, {
    error: {
      type: 'invalid_request',
      code: 'idempotency_key_reused',
      message: toErrorMessage(errorTexts['idempotency_key_reused.call'], values),
      details: [
        {
          field: 'call_id',
          code: 'used_for_call',
          message: toErrorMessage(detailTexts.used_for_call, values),
        },
      ],
      request_id: 'req-1',
    },
  })

  const error = await runExpectingError(perform, { inputData: { ...required, deduplication_key: 'entry 7' } })

  expect(error.message).toBe(
    `The Deduplication Key was used in the last 24 hours with different data. Use a different key for each call. The key was used for call 7 (${url}). Open that call. (Request ID: req-1)`,
  )
})

it('returns warnings as one text, with the labels of the fields', async () => {
  stubResponse('POST', apiPath('/contacts/'), 201, {
    ...exampleContactAdded,
    warnings: [
      { field: 'email', code: 'invalid_email', message: "Left out: email isn't a valid email address." },
      {
        field: 'variables.sort_code',
        code: 'unknown_variable',
        message: "variables.sort_code isn't one of the agent's variables. Check its name.",
      },
      { field: 'consent.at', code: 'required', message: 'Left out: consent.at is required.' },
    ],
  })

  expect(await run(perform, { inputData: required })).toMatchObject({
    warnings:
      "Left out: Email isn't a valid email address. Variables \"sort_code\" isn't one of the agent's variables. Check its name. Left out: Consent Date is required.",
  })
})

it.each(['yesterday', '2026-02-30 09:30'])(
  'sends the unreadable consent date %s as typed, so that the API can leave it out',
  async (consent_at) => {
    const requests = queued()

    await run(perform, { inputData: { ...required, consent_source: 'Form', consent_at } })

    expect(parseBody(requests)).toEqual({ ...sent, consent: { source: 'Form', at: consent_at } })
  },
)

it('sends a consent date as typed if neither it nor the Zap has a time zone', async () => {
  const requests = queued()

  await run(perform, {
    inputData: { ...required, consent_source: 'Form', consent_at: '2026-05-04 09:30' },
    meta: { timezone: null },
  })

  expect(parseBody(requests)).toMatchObject({ consent: { at: '2026-05-04 09:30' } })
})

it.each([
  ['oral', 'oral'],
  ['In writing', 'written'],
  ['by phone', 'oral'],
  // The connector sends an unknown kind unchanged. The API then leaves it out.
  ['Web', 'Web'],
])('sends the consent kind %s as %s', async (consent_kind, kind) => {
  const requests = queued()
  const consent = { consent_source: 'Form', consent_at: '2026-05-04T09:30:00Z' }

  await run(perform, { inputData: { ...required, ...consent, consent_kind } })

  expect(parseBody(requests)).toMatchObject({
    consent: { source: 'Form', at: '2026-05-04T09:30:00.000Z', kind },
  })
})

it("returns the API's warning that a consent kind was cleared, with the field's label", async () => {
  const message = toErrorMessage(detailTexts.consent_kind_cleared, { field: 'consent.kind' })
  const warnings = [{ field: 'consent.kind', code: 'consent_kind_cleared', message }]
  stubResponse('POST', apiPath('/contacts/'), 201, { ...exampleContactAdded, warnings })

  expect(await run(perform, { inputData: required })).toMatchObject({
    warnings:
      'Consent Kind was cleared, because the new consent has another source or date, and no kind. Send the kind of the new consent if you know it.',
  })
})

it('sends no idempotency key if the deduplication key is blank', async () => {
  const requests = queued()

  await run(perform, { inputData: { ...required, deduplication_key: ' ' } })

  expect(requests[0]?.headers).not.toHaveProperty('idempotency-key')
})
