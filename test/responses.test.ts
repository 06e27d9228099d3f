import { PassThrough } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from '@jest/globals'
import { exampleContactAdded } from '@outdial/contract'
import { sampleCampaign } from '../src/generated.ts'
import { apiPath, run, runExpectingError, stubFailure, stubReply, stubResponse } from './support/connector.ts'

// These tests cover responses that aren't from Outdial, that arrive late, or that arrive only in part.
const phone_number = '+12025550123'
const json = { 'Content-Type': 'application/json' }
const pages = [
  ['a maintenance page', '<!doctype html><p>Back soon</p>'],
  ['a body that ends early', JSON.stringify(exampleContactAdded).slice(0, 80)],
  ['an empty body', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['an empty object', '{}'],
  ['an object with other values', '{"id":"7","call":{},"contact":{},"results":[{}]}'],
  ['items that lack values', '{"results":[{"id":1}]}'],
] as const

const tryAgain = 'Try again in a few minutes. If this keeps happening, contact Outdial support.'
const checkCalls = 'The call may already be queued. Check Calls in Outdial before you run this step again.'
const operations = [
  ['authentication.test', 'GET', '/campaigns/', tryAgain],
  ['triggers.campaigns.operation.perform', 'GET', '/campaigns/', tryAgain],
  ['triggers.open_campaigns.operation.perform', 'GET', '/campaigns/', tryAgain],
  ['triggers.agents.operation.perform', 'GET', '/agents/', tryAgain],
  ['triggers.phone_numbers.operation.perform', 'GET', '/phone-numbers/', tryAgain],
  ['triggers.call_completed.operation.performList', 'GET', '/calls/', tryAgain],
  ['triggers.call_completed.operation.performSubscribe', 'POST', '/webhooks/subscribe', tryAgain],
  ['triggers.call_completed.operation.performUnsubscribe', 'DELETE', '/webhooks/7/', tryAgain],
  ['searches.find_campaign.operation.perform', 'GET', '/campaigns/', tryAgain],
  ['creates.queue_call.operation.perform', 'POST', '/contacts/', checkCalls],
  [
    'creates.create_campaign.operation.perform',
    'POST',
    '/campaigns/',
    'The campaign may already exist. Check Campaigns in Outdial before you run this step again.',
  ],
] as const
const bundle = {
  inputData: { campaign_id: 12, phone_number, name: 'Maya', agent_id: '', phone_number_id: 1 },
  subscribeData: { id: 7 },
}

describe.each(operations)('%s', (method, httpMethod, path, advice) => {
  it.each(pages)(
    "says that a successful response with %s can't be read, and what to do",
    async (_title, body) => {
      stubResponse(httpMethod, apiPath(path), 200, body)

      const message = `Outdial sent a response that can't be read (status 200). ${advice}`
      expect(await runExpectingError(method, bundle)).toEqual(
        // The call may already be queued, so the run is halted: Zapier could replay a run that ended with an error.
        path === '/contacts/'
          ? { name: 'HaltedError', message }
          : { name: 'AppError', message, code: 'unreadable_response', status: 200 },
      )
    },
  )

  it("doesn't follow a redirect", async () => {
    stubResponse(httpMethod, apiPath(path), 307, '', { Location: 'https://other.example.com/' })

    expect(await runExpectingError(method, bundle)).toMatchObject({
      message: `Outdial sent a response that can't be read (status 307). ${advice}`,
    })
  })
})

it.each([[null], ['invalid'], [{ field: 'phone_number' }], [{ message: 'Invalid.' }]])(
  'if an error response has the malformed detail %j, says that Outdial gave no reason',
  async (detail) => {
    const body = { error: { code: 'validation_failed', message: 'Invalid.', details: [detail] } }
    stubResponse('POST', apiPath('/contacts/'), 422, body)

    expect(await runExpectingError('creates.queue_call.operation.perform', bundle)).toMatchObject({
      message: 'Outdial rejected this request without giving a reason (status 422). Contact Outdial support.',
    })
  },
)

describe('the token endpoint', () => {
  const methods = ['getAccessToken', 'refreshAccessToken'].map(
    (name) => `authentication.oauth2Config.${name}`,
  )

  it.each(methods.flatMap((method) => pages.map(([title, body]) => [method, title, body] as const)))(
    "%s says that a successful response with %s can't be read",
    async (method, _title, body) => {
      stubResponse('POST', '/oauth/token', 200, body)

      expect(await runExpectingError(method, { authData: { refresh_token: 'refresh-1' } })).toMatchObject({
        name: 'AppError',
        message: `Outdial sent a response that can't be read (status 200). ${tryAgain}`,
      })
    },
  )

  it.each(methods)(
    '%s reports that Outdial is temporarily unavailable if the response has status 502',
    async (method) => {
      stubResponse('POST', '/oauth/token', 502, '<p>Bad gateway</p>')

      expect(await runExpectingError(method)).toMatchObject({
        message: `Outdial is temporarily unavailable (status 502). ${tryAgain}`,
      })
    },
  )

  it('a response without a reason is reported with its status, or as too many requests if the status is 429', async () => {
    stubResponse('POST', '/oauth/token', 403, '<p>Forbidden</p>')
    expect(await runExpectingError('authentication.oauth2Config.getAccessToken')).toMatchObject({
      message: 'Outdial rejected this request without giving a reason (status 403). Contact Outdial support.',
    })

    stubResponse('POST', '/oauth/token', 429, { error: { code: 'busy' } })
    expect(await runExpectingError('authentication.oauth2Config.refreshAccessToken')).toMatchObject({
      name: 'AppError',
      message: 'Outdial is receiving too many requests. Try again in a few minutes.',
    })
  })

  it('an error without a description is shown with its error code', async () => {
    stubResponse('POST', '/oauth/token', 400, { error: 'invalid_request' })

    expect(await runExpectingError('authentication.oauth2Config.getAccessToken')).toMatchObject({
      message:
        "Outdial couldn't connect your account: invalid_request. Try again, or contact Outdial support.",
    })
  })
})

describe('the error for a failed connection', () => {
  const queueCall = 'creates.queue_call.operation.perform'

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])(
    "asks the user to try again if the request wasn't sent yet: %s",
    async (code) => {
      stubFailure('POST', apiPath('/contacts/'), code)

      expect(await runExpectingError(queueCall, bundle)).toEqual({
        name: 'AppError',
        message: "Outdial couldn't be reached. Try again in a few minutes.",
        code: 'unreachable',
      })
    },
  )

  it('says that a call may be queued if Outdial may have received the request', async () => {
    stubFailure('POST', apiPath('/contacts/'), 'ECONNRESET')

    expect(await runExpectingError(queueCall, bundle)).toEqual({
      name: 'HaltedError',
      message: `The connection to Outdial was interrupted. ${checkCalls}`,
    })
  })

  it('asks the user to try again if the request only reads data', async () => {
    stubFailure('GET', apiPath('/campaigns/'), 'ECONNRESET')

    expect(await runExpectingError('authentication.test')).toMatchObject({
      message: 'The connection to Outdial was interrupted. Try again in a few minutes.',
    })
  })
})

describe('a slow response', () => {
  const queueCall = 'creates.queue_call.operation.perform'
  const timeout = {
    name: 'HaltedError',
    message: `Outdial didn't respond within 25 seconds. ${checkCalls}`,
  }

  /** Runs a method with a clock that the test advances. Resolves when the method's first request has arrived. */
  async function start(requests: unknown[], inputData: object = bundle.inputData) {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
    let settled = false
    const failed = runExpectingError(queueCall, { inputData: { ...inputData } }).finally(
      () => (settled = true),
    )
    const pass = async (ms: number) => {
      mock.timers.tick(ms)
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      return settled
    }
    while (requests.length === 0) await setImmediate()
    return { failed, pass }
  }
  afterEach(() => mock.timers.reset())

  it('ends the step after 25 seconds if nothing arrives', async () => {
    const posted = stubReply('POST', apiPath('/contacts/'), () => new Promise(() => {}))
    const { failed, pass } = await start(posted)

    expect(await pass(24_999)).toBe(false)
    await pass(1)
    expect(await failed).toEqual(timeout)
  })

  it("ends the step after 25 seconds if the body arrives in pieces and isn't complete", async () => {
    const body = new PassThrough()
    const { promise: headers, resolve: sendHeaders } = Promise.withResolvers<void>()
    const posted = stubReply('POST', apiPath('/contacts/'), async () => {
      await headers
      return [201, body, json]
    })
    const { failed, pass } = await start(posted)

    expect(await pass(20_000)).toBe(false)
    sendHeaders()
    body.write('{')
    expect(await pass(4_999)).toBe(false)
    body.write('"call"')
    await pass(1)
    expect(await failed).toEqual(timeout)
  })

  it('ends the step after 25 seconds if the connection breaks in the middle of the response', async () => {
    const body = new PassThrough()
    const posted = stubReply('POST', apiPath('/contacts/'), () => {
      body.write('{"call"')
      return [201, body, { ...json, 'Content-Length': '1000' }]
    })
    const { failed, pass } = await start(posted)
    body.destroy(new Error('socket hang up'))

    await pass(25_000)
    expect(await failed).toEqual(timeout)
  })

  it("counts toward the time limit together with the step's other requests", async () => {
    const { promise: found, resolve: find } = Promise.withResolvers<void>()
    const searched = stubReply('GET', apiPath('/campaigns/'), async () => {
      await found
      return [200, JSON.stringify({ results: [sampleCampaign] }), json]
    })
    const posted = stubReply('POST', apiPath('/contacts/'), () => new Promise(() => {}))
    const { failed, pass } = await start(searched, { ...bundle.inputData, campaign_id: 'Website leads' })

    expect(await pass(15_000)).toBe(false)
    find()
    while (posted.length === 0) await setImmediate()
    expect(await pass(9_999)).toBe(false)
    await pass(1)
    expect(await failed).toEqual(timeout)
  })

  it("doesn't end the step if it arrives in time", async () => {
    const { promise: headers, resolve: sendHeaders } = Promise.withResolvers<void>()
    stubReply('POST', apiPath('/contacts/'), async () => {
      await headers
      return [201, JSON.stringify(exampleContactAdded), json]
    })
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
    const output = run(queueCall, bundle)
    await setImmediate()
    mock.timers.tick(24_000)
    mock.timers.reset()
    sendHeaders()

    expect(await output).toMatchObject({ id: exampleContactAdded.call.id })
  })
})
