import { describe, expect, it } from '@jest/globals'
import { errorTexts, toErrorMessage } from '@outdial/contract'
import { apiPath, errorBody, runExpectingError, stubFailure, stubResponse } from './support/connector.ts'

const queueCall = 'creates.queue_call.operation.perform'
const inputData = { campaign_id: 12, phone_number: '12' }

describe('rejected requests', () => {
  it('halts the run but not the Zap for invalid contact data, and uses the labels of the fields', async () => {
    const details = [
      { field: 'consent.at', code: 'required', message: 'consent.at is required.' },
      { field: 'variables.size', code: 'invalid_type', message: 'variables.size must be text.' },
      { field: 'external_id', code: 'too_big', message: 'This is too long.' },
    ]
    const summary = details.map(({ message }) => message).join(' ')
    stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', summary, details))

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'HaltedError',
      message:
        'Consent Date is required. Variables "size" must be text. External Reference: This is too long. (Request ID: req_42)',
    })
  })

  it('keeps a message that says more than its details', async () => {
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

  it('halts the run if a deduplication key is reused with different data', async () => {
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
      "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow it.",
    ],
    [500, 'internal_error', 'Outdial had an unexpected error.'],
  ])("fails the Zap with the API's message for %d %s", async (status, code, message) => {
    stubResponse('POST', apiPath('/contacts/'), status, errorBody(code, message))

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'AppError',
      message: `${message} (Request ID: req_42)`,
      code,
      status,
    })
  })

  it("doesn't halt for an error outside an action, because the user's data isn't the cause", async () => {
    stubResponse('GET', apiPath('/calls/'), 422, errorBody('validation_failed', 'limit is too large.'))

    expect(await runExpectingError('triggers.call_completed.operation.performList')).toMatchObject({
      name: 'AppError',
    })
  })

  it('asks Zapier to refresh an expired token, with a message in case that fails too', async () => {
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
  it('tries again later while Outdial restarts', async () => {
    const body = errorBody('unavailable', toErrorMessage(errorTexts.unavailable))
    stubResponse('POST', apiPath('/contacts/'), 503, body, { 'Retry-After': '5' })

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'ThrottledError',
      message: 'Outdial is temporarily unavailable. Zapier will try this step again. (Request ID: req_42)',
      delay: 5,
    })
  })

  it('fails immediately for another server error, even if it says when to try again', async () => {
    stubResponse('POST', apiPath('/contacts/'), 502, '', { 'Retry-After': '5' })

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({ name: 'AppError', status: 502 })
  })

  it("fails if an unavailable service doesn't say when to try again", async () => {
    stubResponse('POST', apiPath('/contacts/'), 503, errorBody('unavailable', 'Not available.'))

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({ name: 'AppError', status: 503 })
  })

  it.each([
    [() => new Date(Date.now() + 90_000).toUTCString(), [89, 90]],
    [() => new Date(Date.now() - 90_000).toUTCString(), [1, 1]],
    [() => 'soon', [undefined, undefined]],
  ])('understands a date in Retry-After', async (retryAfter, [min, max]) => {
    stubResponse('POST', apiPath('/contacts/'), 429, '', { 'Retry-After': retryAfter() })

    const { delay } = await runExpectingError(queueCall, { inputData })
    expect([min, max]).toContain(delay)
  })

  it("throttles with the API's reason and delay, and says that Zapier tries again", async () => {
    const reason = 'This connection sent more than 600 requests in a minute.'
    const body = errorBody('rate_limited', `${reason} Try again in 17 seconds.`)
    stubResponse('POST', apiPath('/contacts/'), 429, body, { 'Retry-After': '17' })

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'ThrottledError',
      message: `${reason} Zapier will try this step again. (Request ID: req_42)`,
      delay: 17,
    })
  })

  it('tries again later if a request with the same deduplication key is in progress', async () => {
    const body = errorBody('idempotency_key_in_use', toErrorMessage(errorTexts.idempotency_key_in_use))
    stubResponse('POST', apiPath('/contacts/'), 409, body, { 'Retry-After': '2' })

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'ThrottledError',
      message:
        'Another request with this Deduplication Key is in progress. Zapier will try this step again. (Request ID: req_42)',
      delay: 2,
    })
  })

  it('throttles for a 429 without a body', async () => {
    stubResponse('POST', apiPath('/contacts/'), 429, '')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'ThrottledError',
      message: 'Outdial is receiving too many requests. Zapier will try this step again.',
    })
  })
})

describe('an unavailable service', () => {
  it('explains an error response from a proxy', async () => {
    stubResponse('POST', apiPath('/contacts/'), 502, '<html>Bad gateway</html>', { 'X-Request-Id': 'req_7' })

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'AppError',
      message:
        'Outdial is temporarily unavailable (status 502). The call may already be queued. Check Calls in Outdial before you run this step again. (Request ID: req_7)',
      status: 502,
    })
  })

  it.each([500, 599])('explains status %d without a body', async (status) => {
    stubResponse('GET', apiPath('/campaigns/'), status)

    expect(await runExpectingError('authentication.test')).toMatchObject({
      message: `Outdial is temporarily unavailable (status ${status}). Try again in a few minutes. If this keeps happening, contact Outdial support.`,
    })
  })

  it("explains an error response in another format than Outdial's", async () => {
    stubResponse('POST', apiPath('/contacts/'), 400, {
      error: { code: 'bad', message: 'Bad gateway rule 17.' },
    })

    const { message } = await runExpectingError(queueCall, { inputData })
    expect(message).toMatch(/^Outdial rejected this request without giving a reason \(status 400\)\./)
  })

  it('explains another error response without a body', async () => {
    stubResponse('POST', apiPath('/contacts/'), 403, '<html>Forbidden</html>')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      message: 'Outdial rejected this request without giving a reason (status 403). Contact Outdial support.',
    })
  })

  it("says that Outdial couldn't be reached", async () => {
    stubFailure('POST', apiPath('/contacts/'), 'ECONNREFUSED')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'AppError',
      message: "Outdial couldn't be reached. Try again in a few minutes.",
    })
  })
})
