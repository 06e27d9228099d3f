import { describe, expect, it } from '@jest/globals'
import { errorTexts, toErrorMessage } from '@outdial/contract'
import { apiPath, errorBody, runExpectingError, stubFailure, stubResponse } from './support/connector.ts'

const queueCall = 'creates.queue_call.operation.perform'
const inputData = { campaign_id: 12, phone_number: '12' }

describe('rejected requests', () => {
  it("halt the run without failing it if a lead's data is invalid, and name the fields by their labels", async () => {
    const details = [
      { field: 'time_zone', code: 'too_long', message: 'time_zone is too long.' },
      { field: 'variables.size', code: 'too_long', message: 'variables.size is too long.' },
      { field: 'external_id', code: 'too_long', message: 'This is too long.' },
    ]
    const summary = details.map(({ message }) => message).join(' ')
    stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', summary, details))

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'HaltedError',
      message:
        'Time Zone is too long. Variables "size" is too long. External Reference: This is too long. (Request ID: req_42)',
    })
  })

  it.each([
    ['phone_number', 'invalid_phone_number', 'HaltedError'],
    ['phone_number', 'number_type_not_allowed', 'HaltedError'],
    ['phone_number', 'country_not_allowed', 'HaltedError'],
    ['country', 'invalid_country', 'HaltedError'],
    ['time_zone', 'invalid_time_zone', 'HaltedError'],
    ['first_name', 'too_long', 'HaltedError'],
    ['variables', 'too_big', 'HaltedError'],
    ['scheduled_at', 'too_far_ahead', 'HaltedError'],
    ['callback_url', 'too_many_callback_urls', 'HaltedError'],
    ['phone_number', 'required', 'AppError'],
    ['variables.size', 'invalid_type', 'AppError'],
    ['campaign_id', 'not_found', 'AppError'],
    ['scheduled_at', 'invalid_datetime', 'AppError'],
    ['if_already_queued', 'invalid_value', 'AppError'],
    ['nickname', 'unknown_field', 'AppError'],
  ])('whose issue has the field %s and the code %s end with the error %s', async (field, code, name) => {
    const details = [{ field, code, message: `${field} is wrong.` }]
    stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', 'Wrong.', details))

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({ name })
  })

  it("fail the run if one of several issues isn't about the lead's data, so that the mistake is reported", async () => {
    const details = [
      { field: 'phone_number', code: 'invalid_phone_number', message: 'phone_number is wrong.' },
      { field: 'campaign_id', code: 'not_found', message: 'This workspace has no campaign with this ID.' },
    ]
    const summary = details.map(({ message }) => message).join(' ')
    stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', summary, details))

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'AppError',
      message:
        'Phone Number is wrong. Campaign: This workspace has no campaign with this ID. (Request ID: req_42)',
    })
  })

  it('fail the run if the number of a person who opts out is invalid, so that Zapier reports the lost opt-out', async () => {
    const details = [{ field: 'phone_number', code: 'invalid_phone_number', message: 'It has two digits.' }]
    stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', 'Wrong.', details))

    expect(
      await runExpectingError(queueCall, { inputData: { ...inputData, do_not_call: 'yes' } }),
    ).toMatchObject({ name: 'AppError' })
  })

  it.each([
    [40, /^(Variables "name_\d+" is too long\. )+\(Request ID: req_42\)$/],
    [1, /^Variables "x+… \(Request ID: req_42\)$/],
  ])(
    'have a message that leaves room for the request ID, because Zapier shows only 250 characters (%d issues)',
    async (count, shown) => {
      const names =
        count === 1 ? ['x'.repeat(300)] : Array.from({ length: count }, (_, index) => `name_${index}`)
      const details = names.map((name) => ({
        field: `variables.${name}`,
        code: 'too_long',
        message: `variables.${name} is too long.`,
      }))
      const summary = details.map(({ message }) => message).join(' ')
      stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', summary, details))

      const { message } = await runExpectingError(queueCall, { inputData })
      expect(message).toMatch(shown)
      expect(message.length).toBeLessThan(250)
      expect(message.length).toBeGreaterThan(200)
    },
  )

  it("show the API's message before the details if the message says more than the details", async () => {
    const details = [{ field: 'phone_number', code: 'invalid', message: 'It has two digits.' }]
    stubResponse(
      'POST',
      apiPath('/contacts/'),
      422,
      errorBody('validation_failed', 'This number cannot be called.', details),
    )

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      message: 'This number cannot be called. Phone Number: It has two digits. (Request ID: req_42)',
    })
  })

  it('halt the run if a deduplication key is reused with different data', async () => {
    stubResponse(
      'POST',
      apiPath('/contacts/'),
      422,
      errorBody('idempotency_key_reused', toErrorMessage(errorTexts.idempotency_key_reused)),
    )

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'HaltedError',
      message: expect.stringContaining(
        'The Deduplication Key was used in the last 24 hours with different data.',
      ),
    })
  })

  it.each([
    [422, 'campaign_archived', 'The campaign is archived.'],
    [422, 'unknown_field', 'The field is unknown.'],
    [404, 'not_found', 'The workspace has no campaign with this ID.'],
    [
      403,
      'insufficient_scope',
      "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow the permission.",
    ],
  ])("fail the run with the API's message for %d %s", async (status, code, message) => {
    stubResponse('POST', apiPath('/contacts/'), status, errorBody(code, message))

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'AppError',
      message: `${message} (Request ID: req_42)`,
      code,
      status,
    })
  })

  it("fail a trigger instead of halting it, because the error isn't about a lead's data", async () => {
    stubResponse('GET', apiPath('/calls/'), 422, errorBody('validation_failed', 'limit is too large.'))

    expect(await runExpectingError('triggers.call_completed.operation.performList')).toMatchObject({
      name: 'AppError',
    })
  })

  it('make Zapier refresh an expired token, with a message that the user sees if the refresh fails', async () => {
    stubResponse(
      'POST',
      apiPath('/contacts/'),
      401,
      errorBody('expired_credential', 'The token has expired.'),
    )

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'RefreshAuthError',
      message: 'Outdial no longer accepts this connection. Reconnect your Outdial account and try again.',
    })
  })
})

describe('throttled requests', () => {
  it('are repeated after the delay in Retry-After if Outdial is temporarily unavailable', async () => {
    const body = errorBody('unavailable', toErrorMessage(errorTexts.unavailable))
    stubResponse('POST', apiPath('/contacts/'), 503, body, { 'Retry-After': '5' })

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'ThrottledError',
      message: 'Outdial is temporarily unavailable. Zapier will try this step again. (Request ID: req_42)',
      delay: 5,
    })
  })

  it.each([
    [() => new Date(Date.now() + 90_000).toUTCString(), [89, 90]],
    [() => new Date(Date.now() - 90_000).toUTCString(), [1, 1]],
    [() => 'soon', [undefined, undefined]],
  ])('are repeated at the date in Retry-After if that date can be read', async (retryAfter, [min, max]) => {
    stubResponse('POST', apiPath('/contacts/'), 429, '', { 'Retry-After': retryAfter() })

    const { delay } = await runExpectingError(queueCall, { inputData })
    expect([min, max]).toContain(delay)
  })

  it("end with an error that has the API's delay and reason, and says that Zapier will try again", async () => {
    const reason = 'This connection sent more than 600 requests in a minute.'
    const body = errorBody('rate_limited', `${reason} Try again in 17 seconds.`)
    stubResponse('POST', apiPath('/contacts/'), 429, body, { 'Retry-After': '17' })

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'ThrottledError',
      message: `${reason} Zapier will try this step again. (Request ID: req_42)`,
      delay: 17,
    })
  })

  it('are repeated later if a request with the same deduplication key is in progress', async () => {
    const body = errorBody('idempotency_key_in_use', toErrorMessage(errorTexts.idempotency_key_in_use))
    stubResponse('POST', apiPath('/contacts/'), 409, body, { 'Retry-After': '2' })

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'ThrottledError',
      message:
        'Another request with this Deduplication Key is in progress. Zapier will try this step again. (Request ID: req_42)',
      delay: 2,
    })
  })

  it('are repeated later after a response with status 429 and no body', async () => {
    stubResponse('POST', apiPath('/contacts/'), 429, '')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'ThrottledError',
      message: 'Outdial is receiving too many requests. Zapier will try this step again.',
    })
  })
})

/** Functions that stub a request whose effect is unknown. Each key says what happens to the request. */
const unclear = {
  'status 502': (method: 'GET' | 'POST', path: string) =>
    stubResponse(method, path, 502, '<html>Bad gateway</html>', {
      'X-Request-Id': 'req_7',
      'Retry-After': '5',
    }),
  'status 504': (method: 'GET' | 'POST', path: string) => stubResponse(method, path, 504),
  'a reset connection': (method: 'GET' | 'POST', path: string) => stubFailure(method, path, 'ECONNRESET'),
}
const withKey = { ...inputData, deduplication_key: 'form-7' }
const callbackUrl = 'https://zapier.com/hooks/callback/1/'

describe.each(Object.entries(unclear))('%s', (_title, stub) => {
  it.each([
    ['creates.queue_call', 'POST', '/contacts/', withKey],
    ['creates.cancel_waiting_calls', 'POST', '/calls/cancel', inputData],
    ['creates.add_to_do_not_call_list', 'POST', '/do-not-call/', inputData],
    ['searches.find_call', 'GET', '/calls/', { phone_number: '+12025550100' }],
    ['searches.find_call', 'GET', '/calls/7/', { call: '7' }],
    ['searches.find_campaign', 'GET', '/campaigns/', { name: 'Website leads' }],
    // In this case, the failed request looks up the campaign, before the call is queued.
    ['creates.queue_call', 'GET', '/campaigns/', { ...inputData, campaign_id: 'Website leads' }],
  ] as const)('lets Zapier run %s again in one to two minutes (%s %s)', async (key, method, path, input) => {
    stub(method, apiPath(path))

    const { name, message, delay } = await runExpectingError(`${key}.operation.perform`, { inputData: input })
    expect([name, message]).toEqual([
      'ThrottledError',
      expect.stringMatching(/^[^.]+\. Zapier will try this step again\.( \(Request ID: req_7\))?$/),
    ])
    expect(delay).toBeGreaterThanOrEqual(60)
    expect(delay).toBeLessThanOrEqual(120)
  })

  it.each([
    ['creates.queue_call', inputData],
    ['creates.queue_call_and_wait', inputData],
    ['creates.queue_call_and_wait', withKey],
  ])(
    "halts %s, because Zapier's replay of a failed run could queue a second call (%j)",
    async (key, input) => {
      stub('POST', apiPath('/contacts/'))

      expect(await runExpectingError(`${key}.operation.perform`, { inputData: input, callbackUrl })).toEqual({
        name: 'HaltedError',
        message: expect.stringContaining(
          'The call may already be queued. Check Calls in Outdial before you run this step again.',
        ),
      })
    },
  )

  it.each([
    ['authentication.test', 'GET', '/campaigns/'],
    ['triggers.campaigns.operation.perform', 'GET', '/campaigns/'],
    ['triggers.call_completed.operation.performSubscribe', 'POST', '/webhooks/subscribe'],
    ['creates.create_campaign.operation.perform', 'POST', '/campaigns/'],
  ] as const)("fails %s, and doesn't say that Zapier will run it again", async (method, httpMethod, path) => {
    stub(httpMethod, apiPath(path))

    const { name, message } = await runExpectingError(method, { inputData: { name: 'Website leads' } })
    expect([name, message]).toEqual(['AppError', expect.not.stringContaining('Zapier will')])
  })

  it('fails a test in the Zap editor, which Zapier does not run again', async () => {
    stub('POST', apiPath('/calls/cancel'))

    expect(
      await runExpectingError('creates.cancel_waiting_calls.operation.perform', {
        inputData,
        meta: { isLoadingSample: true },
      }),
    ).toMatchObject({ name: 'AppError', message: expect.stringContaining('You can run this step again.') })
  })
})

describe('another server error', () => {
  it.each([
    [500, errorBody('internal_error', toErrorMessage(errorTexts.internal_error))],
    [503, errorBody('unavailable', toErrorMessage(errorTexts.unavailable))],
    [599, '<p>Oops</p>'],
  ])('halts a step that may have queued a call: status %d', async (status, body) => {
    for (const [key, input] of [
      ['queue_call', inputData],
      ['queue_call_and_wait', withKey],
    ] as const) {
      stubResponse('POST', apiPath('/contacts/'), status, body)
      expect(
        await runExpectingError(`creates.${key}.operation.perform`, { inputData: input, callbackUrl }),
      ).toEqual({
        name: 'HaltedError',
        message: expect.stringMatching(/^Outdial [^.]+\. The call may already be queued\./),
      })
    }
  })

  it("fails Queue Call if it has a deduplication key, because a replay can't queue a second call", async () => {
    const body = errorBody('internal_error', toErrorMessage(errorTexts.internal_error))
    stubResponse('POST', apiPath('/contacts/'), 500, body)

    expect(await runExpectingError(queueCall, { inputData: withKey })).toMatchObject({
      name: 'AppError',
      code: 'internal_error',
      status: 500,
    })
  })
})

describe('a method that Zapier runs only once', () => {
  it.each(['authentication.test', 'triggers.campaigns.operation.perform'])(
    "tells the user when to try again, and doesn't say that Zapier will: %s",
    async (method) => {
      const reason = 'This connection sent more than 600 requests in a minute.'
      const body = errorBody('rate_limited', `${reason} Try again in 17 seconds.`)
      stubResponse('GET', apiPath('/campaigns/'), 429, body, { 'Retry-After': '17' })

      expect(await runExpectingError(method)).toEqual({
        name: 'AppError',
        message: `${reason} Try again in 17 seconds. (Request ID: req_42)`,
        code: 'rate_limited',
        status: 429,
      })
    },
  )

  it("tells the user when to try again if the lookup of a subscription's typed campaign is throttled", async () => {
    stubResponse('GET', apiPath('/campaigns/'), 429)

    expect(
      await runExpectingError('triggers.call_completed.operation.performSubscribe', {
        inputData: { campaign_id: 'Website leads' },
      }),
    ).toMatchObject({
      name: 'AppError',
      message: 'Outdial is receiving too many requests. Try again in a few minutes.',
    })
  })
})

describe("the connector's own error message", () => {
  it.each([500, 599])(
    'says that Outdial is temporarily unavailable if a response with status %d has no body',
    async (status) => {
      stubResponse('GET', apiPath('/campaigns/'), status)

      expect(await runExpectingError('authentication.test')).toMatchObject({
        message: `Outdial is temporarily unavailable (status ${status}). Try again in a few minutes. If this keeps happening, contact Outdial support.`,
      })
    },
  )

  it("says that Outdial gave no reason if the response isn't in Outdial's format", async () => {
    stubResponse('POST', apiPath('/contacts/'), 400, {
      error: { code: 'bad', message: 'Bad gateway rule 17.' },
    })

    const { message } = await runExpectingError(queueCall, { inputData })
    expect(message).toMatch(/^Outdial rejected this request without giving a reason \(status 400\)\./)
  })

  it('says that Outdial gave no reason if the response is an HTML page', async () => {
    stubResponse('POST', apiPath('/contacts/'), 403, '<html>Forbidden</html>')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      message: 'Outdial rejected this request without giving a reason (status 403). Contact Outdial support.',
    })
  })

  it("says that Outdial couldn't be reached if the connection is refused", async () => {
    stubFailure('POST', apiPath('/contacts/'), 'ECONNREFUSED')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'AppError',
      message: "Outdial couldn't be reached. Try again in a few minutes.",
    })
  })
})
