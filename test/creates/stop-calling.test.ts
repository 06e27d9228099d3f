import { expect, it } from '@jest/globals'
import { exampleCampaign } from '@outdial/contract'
import { apiPath, errorBody, parseBody, run, runExpectingError, stubResponse } from '../support/connector.ts'

const cancel = 'creates.cancel_waiting_calls.operation.perform'
const block = 'creates.add_to_do_not_call_list.operation.perform'

it('cancels the waiting calls to a number in all campaigns', async () => {
  const requests = stubResponse('POST', apiPath('/calls/cancel'), 200, {
    canceled: [7, 9],
    phone_numbers: ['+12025550100'],
    url: 'https://outdial.example.com/w/3/calls?search=%2B12025550100',
  })

  const output = await run(cancel, {
    inputData: { phone_number: ' (202) 555-0100 ', country: 'usa', campaign_id: '' },
  })

  expect(parseBody(requests)).toEqual({ phone_number: '(202) 555-0100', country: 'US' })
  expect(output).toEqual({
    canceled: [7, 9],
    phone_numbers: ['+12025550100'],
    url: 'https://outdial.example.com/w/3/calls?search=%2B12025550100',
    canceled_count: 2,
  })
})

it("cancels only the waiting calls in one campaign, even if the campaign's name was typed instead of chosen", async () => {
  stubResponse('GET', apiPath('/campaigns/'), 200, { results: [exampleCampaign] })
  const requests = stubResponse('POST', apiPath('/calls/cancel'), 200, { canceled: [] })

  const output = await run(cancel, {
    inputData: { phone_number: '+12025550100', campaign_id: 'Website leads' },
  })

  expect(parseBody(requests)).toEqual({ phone_number: '+12025550100', campaign_id: exampleCampaign.id })
  expect(output).toEqual({ canceled: [], canceled_count: 0 })
})

it('adds a number to the do-not-call list, with the reason', async () => {
  const entry = { phone_number: '+12025550100', do_not_call: true }
  const requests = stubResponse('POST', apiPath('/do-not-call/'), 200, entry)

  const output = await run(block, { inputData: { phone_number: '+12025550100', reason: 'Unsubscribed ' } })

  expect(parseBody(requests)).toEqual({ phone_number: '+12025550100', reason: 'Unsubscribed' })
  expect(output).toEqual(entry)
})

it.each([
  [cancel, '/calls/cancel', { canceled: [] }],
  [block, '/do-not-call/', { do_not_call: true }],
])('%s sends every number in Phone Number as typed', async (method, path, response) => {
  const send = async (phone_number: unknown) => {
    const requests = stubResponse('POST', apiPath(path), 200, response)
    await run(method, { inputData: { phone_number } })
    return parseBody(requests)
  }
  const typed = "Mobile: p:+1202… ext 5, '(202) 555-0103 / 12025550100.0"
  expect(await send(typed)).toEqual({ phone_number: typed })
  expect(await send(['+12025550100', 2025550103])).toEqual({ phone_number: '+12025550100, 2025550103' })
})

it('shortens a long reason, so that the number is still added to the list', async () => {
  const requests = stubResponse('POST', apiPath('/do-not-call/'), 200, { do_not_call: true })

  await run(block, {
    inputData: { phone_number: '+12025550100', reason: `${'x'.repeat(499)}📞 and more` },
  })

  expect(parseBody(requests)).toMatchObject({ reason: `${'x'.repeat(499)}\uFFFD` })
})

it.each([
  [cancel, '/calls/cancel', { canceled: [] }],
  [block, '/do-not-call/', { do_not_call: true }],
])(
  '%s sends an unknown country as ZZ, so that the API accepts only a number with a country code',
  async (method, path, response) => {
    const requests = stubResponse('POST', apiPath(path), 200, response)

    await run(method, { inputData: { phone_number: '+12025550100', country: 'Unknown' } })

    expect(parseBody(requests)).toEqual({ phone_number: '+12025550100', country: 'ZZ' })
  },
)

it.each([
  [cancel, '/calls/cancel'],
  [block, '/do-not-call/'],
])('%s fails for an invalid number, so that Zapier reports the lost opt-out', async (method, path) => {
  const details = [{ field: 'phone_number', code: 'invalid_phone_number', message: 'It has two digits.' }]
  stubResponse('POST', apiPath(path), 422, errorBody('validation_failed', 'It has two digits.', details))

  expect(await runExpectingError(method, { inputData: { phone_number: '12' } })).toEqual({
    name: 'AppError',
    code: 'validation_failed',
    status: 422,
    message: 'Phone Number: It has two digits. (Request ID: req_42)',
  })
})

it('asks the user to reconnect if the connection lacks the permission to cancel calls', async () => {
  const apiMessage = 'The connection is missing a permission that the request needs: calls:write.'
  stubResponse('POST', apiPath('/calls/cancel'), 403, errorBody('insufficient_scope', apiMessage))

  expect(await runExpectingError(cancel, { inputData: { phone_number: '+12025550100' } })).toMatchObject({
    message:
      "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow the permission. (Request ID: req_42)",
  })
})
