import { describe, expect, it } from '@jest/globals'
import { apiPath, errorBody, runExpectingError, stubResponse } from './support/connector.ts'

const queueCall = 'creates.queue_call.operation.perform'
const inputData = { campaign_id: 12, phone_number: '12' }

describe('rejected requests', () => {
  it('halts the run, not the Zap, for bad contact data, and names the fields by their labels', async () => {
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
        'Consent Date is required. Variables "size" must be text. External ID: This is too long. (Request ID: req_42)',
    })
  })

  it('keeps a sentence that says more than its details', async () => {
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

  it('halts the run where a deduplication key comes back with other data', async () => {
    stubResponse(
      'POST',
      apiPath('/contacts/'),
      422,
      errorBody('idempotency_key_reused', 'This key was used for other data.'),
    )

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({ name: 'HaltedError' })
  })

  it.each([
    [422, 'campaign_archived', 'The campaign is archived.'],
    [422, 'unknown_field', 'There is no field of this name.'],
    [404, 'not_found', 'There is no such campaign.'],
    [403, 'insufficient_scope', 'The connection may not do this.'],
    [500, 'internal_error', 'Something went wrong on our side.'],
    [503, 'unavailable', 'The service is not available at the moment.'],
  ])('fails the Zap with the sentence of a %d %s', async (status, code, message) => {
    stubResponse('POST', apiPath('/contacts/'), status, errorBody(code, message))

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'AppError',
      message: `${message} (Request ID: req_42)`,
      code,
      status,
    })
  })

  it('does not halt for a refusal outside an action: there is no data of the user in it', async () => {
    stubResponse('GET', apiPath('/calls/'), 422, errorBody('validation_failed', 'limit is too large.'))

    expect(await runExpectingError('triggers.call_completed.operation.performList')).toMatchObject({
      name: 'AppError',
    })
  })

  it('asks Zapier for a fresh token where the token is dead, in words for the case that this fails too', async () => {
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
  it('throttles with the sentence and the delay of the API', async () => {
    const body = errorBody('rate_limited', 'More than 600 requests in a minute: wait 17 seconds.')
    stubResponse('POST', apiPath('/contacts/'), 429, body, { 'Retry-After': '17' })

    expect(await runExpectingError(queueCall, { inputData })).toEqual({
      name: 'ThrottledError',
      message: 'More than 600 requests in a minute: wait 17 seconds. (Request ID: req_42)',
      delay: 17,
    })
  })

  it('tries again later where the same deduplication key is still at work', async () => {
    const body = errorBody('idempotency_key_in_use', 'The first request with this key is still running.')
    stubResponse('POST', apiPath('/contacts/'), 409, body, { 'Retry-After': '2' })

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'ThrottledError',
      delay: 2,
    })
  })

  it('throttles even where the 429 comes without a word', async () => {
    stubResponse('POST', apiPath('/contacts/'), 429, '')

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'ThrottledError',
      message: 'Outdial is receiving too many requests. Zapier will try this step again.',
    })
  })
})

describe('an unavailable service', () => {
  it('is clear where something in between answers', async () => {
    stubResponse('POST', apiPath('/contacts/'), 502, '<html>Bad gateway</html>', { 'X-Request-Id': 'req_7' })

    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'AppError',
      message:
        'Outdial is temporarily unavailable (status 502). Try again in a few minutes. If it keeps happening, contact Outdial support. (Request ID: req_7)',
      status: 502,
    })
  })

  it('says that Outdial could not be reached', async () => {
    const before = process.env.BASE_URL
    process.env.BASE_URL = 'http://127.0.0.1:1'
    expect(await runExpectingError(queueCall, { inputData })).toMatchObject({
      name: 'AppError',
      message: 'Outdial could not be reached. Try again in a few minutes.',
    })
    process.env.BASE_URL = before
  })
})
