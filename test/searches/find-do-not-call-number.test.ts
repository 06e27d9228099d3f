import { expect, it } from '@jest/globals'
import { sampleDoNotCallNumber } from '../../src/generated.ts'
import { apiPath, errorBody, run, runExpectingError, stubResponse } from '../support/connector.ts'

const perform = 'searches.find_do_not_call_number.operation.perform'
const page = (results: unknown[]) => ({ results, next: null, previous: null })

it('sends a number as it was typed, and finds it on the do-not-call list', async () => {
  const requests = stubResponse('GET', apiPath('/do-not-call/'), 200, page([sampleDoNotCallNumber]))

  const output = await run(perform, { inputData: { phone_number: ' p:(202) 555-0100 ', country: 'usa' } })

  expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({
    phone_number: 'p:(202) 555-0100',
    country: 'US',
  })
  expect(output).toEqual([sampleDoNotCallNumber])
})

it("finds nothing if the number isn't on the list", async () => {
  stubResponse('GET', apiPath('/do-not-call/'), 200, page([]))

  expect(await run(perform, { inputData: { phone_number: '+12025550100' } })).toEqual([])
})

it('fails for text without a number', async () => {
  const details = [{ field: 'phone_number', code: 'invalid_phone_number', message: 'No phone number found.' }]
  const body = errorBody('validation_failed', 'No phone number found.', details)
  stubResponse('GET', apiPath('/do-not-call/'), 422, body)

  expect(await runExpectingError(perform, { inputData: { phone_number: 'n/a' } })).toMatchObject({
    message: 'Phone Number: No phone number found. (Request ID: req_42)',
  })
})
