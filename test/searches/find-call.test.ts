import { expect, it } from '@jest/globals'
import { exampleCall } from '@outdial/contract'
import { apiPath, errorBody, fileOfCall, run, runExpectingError, stubResponse } from '../support/connector.ts'

const perform = 'searches.find_call.operation.perform'
const flatCall = {
  ...exampleCall,
  outcome_label: 'Answered',
  reached: true,
  recording: null,
  transcript_file: fileOfCall('saveTranscript', exampleCall.id),
}
const page = (results: unknown[]) => ({ results, next: null, previous: null })

it('finds the newest calls to a person', async () => {
  const older = { ...exampleCall, id: 7 }
  const requests = stubResponse('GET', apiPath('/calls/'), 200, page([exampleCall, older]))

  const output = await run(perform, {
    inputData: { phone_number: ' +12025550100 ', external_reference: 'crm-2291', campaign_id: '12' },
  })

  expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({
    phone_number: '+12025550100',
    external_id: 'crm-2291',
    campaign_id: '12',
    test: 'exclude',
    limit: '10',
  })
  expect(output).toEqual([flatCall, { ...flatCall, id: 7, transcript_file: fileOfCall('saveTranscript', 7) }])
})

it('finds a call by its ID', async () => {
  stubResponse('GET', apiPath('/calls/9034/'), 200, exampleCall)

  expect(await run(perform, { inputData: { call: '9034', phone_number: '+12025550199' } })).toEqual([
    flatCall,
  ])
})

it('fails if a proxy responds with an HTML page instead of the call', async () => {
  stubResponse('GET', apiPath('/calls/1/'), 404, '<p>Not found</p>')

  expect(await runExpectingError(perform, { inputData: { call: 1 } })).toMatchObject({ status: 404 })
})

it('finds nothing for an ID that no call has', async () => {
  stubResponse(
    'GET',
    apiPath('/calls/1/'),
    404,
    errorBody('not_found', 'This workspace has no call with this ID.'),
  )

  expect(await run(perform, { inputData: { call: 1 } })).toEqual([])
})

it.each([{}, { phone_number: '  ' }, { campaign_id: '12' }])(
  'asks for a phone number, an external reference, or a call if the input is %j',
  async (inputData) => {
    expect(await runExpectingError(perform, { inputData })).toMatchObject({
      message: 'Enter a Phone Number, an External Reference, or a Call.',
    })
  },
)

it("doesn't read text as the ID of a call", async () => {
  expect(await runExpectingError(perform, { inputData: { call: 'Q1' } })).toEqual({
    name: 'AppError',
    code: 'invalid_input',
    message: 'Call must be a whole number.',
  })
})

it('halts the run for an external reference that is too long', async () => {
  const details = [{ field: 'external_id', code: 'too_big', message: 'This is too long.' }]
  stubResponse('GET', apiPath('/calls/'), 422, errorBody('validation_failed', 'This is too long.', details))

  expect(await runExpectingError(perform, { inputData: { external_reference: 'x' } })).toEqual({
    name: 'HaltedError',
    message: 'External Reference: This is too long. (Request ID: req_42)',
  })
})

it('finds test calls as well if the user wants them', async () => {
  const requests = stubResponse('GET', apiPath('/calls/'), 200, page([{ ...exampleCall, test: true }]))

  const output = await run(perform, {
    inputData: { phone_number: "'+12025550100.0", include_test_calls: 'Yes' },
  })

  expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({
    phone_number: "'+12025550100.0",
    limit: '10',
  })
  expect(output).toEqual([{ ...flatCall, test: true }])
})

it('includes test calls in the Zap editor, so that it can find the call that an earlier step queued there', async () => {
  const requests = stubResponse('GET', apiPath('/calls/'), 200, page([]))

  await run(perform, { inputData: { external_reference: 'crm-2291' }, meta: { isLoadingSample: true } })

  expect(requests[0]?.url.searchParams.has('test')).toBe(false)
})

it('sends the country of a national number', async () => {
  const requests = stubResponse('GET', apiPath('/calls/'), 200, page([]))

  await run(perform, { inputData: { phone_number: '020 7946 0018', country: 'United Kingdom' } })

  expect(requests[0]?.url.searchParams.get('country')).toBe('GB')
})
