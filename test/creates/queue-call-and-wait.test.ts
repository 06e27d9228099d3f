import { describe, expect, it } from '@jest/globals'
import { exampleCall, exampleContactAdded } from '@outdial/contract'
import {
  apiPath,
  errorBody,
  fileOfCall,
  parseBody,
  run,
  runExpectingError,
  stubFailure,
  stubResponse,
} from '../support/connector.ts'

const operation = 'creates.queue_call_and_wait.operation'
const inputData = { campaign_id: 12, phone_number: '+12025550100' }
const callbackUrl = 'https://zapier.com/hooks/callback/1/'
const queued = () => stubResponse('POST', apiPath('/contacts/'), 201, exampleContactAdded)
/** Fields of `perform`'s output. Zapier keeps them until the callback arrives, and the final output repeats them. */
const queuedBefore = { contact_created: false, call_queued: false, warnings: 'Left out: Email' }
const outputData = { id: exampleCall.id, ...queuedBefore }
const event = {
  type: 'call.completed',
  data: { id: exampleCall.id, outcome: 'busy', summary: 'Not from the API' },
}
const flatCall = {
  ...exampleCall,
  outcome_label: 'Answered',
  reached: true,
  recording: null,
  transcript_file: fileOfCall('saveTranscript', exampleCall.id),
}

it('queues the call with a callback URL', async () => {
  const requests = queued()

  const output = await run(`${operation}.perform`, { inputData, callbackUrl })

  expect(parseBody(requests)).toEqual({ lenient: true, ...inputData, callback_url: callbackUrl })
  expect(output).toMatchObject({ id: exampleCall.id, status: 'queued', call_queued: true })
})

it('sends the consent with its kind', async () => {
  const requests = queued()
  const consent = { consent_source: 'Form', consent_at: '2026-05-04T09:30:00Z', consent_kind: 'Oral' }

  await run(`${operation}.perform`, { inputData: { ...inputData, ...consent }, callbackUrl })

  expect(parseBody(requests)).toMatchObject({
    consent: { source: 'Form', at: '2026-05-04T09:30:00.000Z', kind: 'oral' },
  })
})

it("in the Zap editor, queues a test call without a callback URL, so the step doesn't wait", async () => {
  const requests = queued()

  await run(`${operation}.perform`, { inputData, callbackUrl, meta: { isLoadingSample: true } })

  expect(parseBody(requests)).toEqual({ lenient: true, ...inputData, test: true })
})

it('when the callback arrives, reads the completed call from the API, and returns the call', async () => {
  const requests = stubResponse('GET', apiPath(`/calls/${exampleCall.id}/`), 200, exampleCall)

  const output = await run(`${operation}.performResume`, { outputData, cleanedRequest: event })

  expect(requests[0]?.headers.authorization).toBe('Bearer token-1')
  expect(output).toEqual({ ...flatCall, ...queuedBefore })
})

it.each([
  [{ ...event, data: { ...event.data, id: 1 } }],
  [{ ...event, data: null }],
  [{ type: 'call.completed' }],
  ['<p>hello</p>'],
  [null],
])("rejects a callback that isn't the result of the step's own call: %j", async (cleanedRequest) => {
  expect(await runExpectingError(`${operation}.performResume`, { outputData, cleanedRequest })).toEqual({
    name: 'HaltedError',
    message: 'Outdial sent the result of another call. Open Calls in Outdial to see the result of this one.',
  })
})

it("halts if the API says that the call isn't completed, even if the callback says that it is", async () => {
  stubResponse('GET', apiPath(`/calls/${exampleCall.id}/`), 200, exampleContactAdded.call)

  expect(
    await runExpectingError(`${operation}.performResume`, { outputData, cleanedRequest: event }),
  ).toEqual({
    name: 'HaltedError',
    message: "The call isn't completed yet. Open Calls in Outdial to see its result later.",
  })
})

const callPath = apiPath(`/calls/${exampleCall.id}/`)

it('reads the completed call again if the first request for it fails', async () => {
  stubFailure('GET', callPath, 'ECONNRESET')
  stubResponse('GET', callPath, 200, exampleCall)

  const output = await run(`${operation}.performResume`, { outputData, cleanedRequest: event })

  expect(output).toMatchObject(flatCall)
})

it.each([
  [502, '<p>Bad gateway</p>'],
  [503, errorBody('unavailable', 'Unavailable.')],
  [404, errorBody('not_found', 'Not found.')],
])(
  "warns the user not to replay the run if the completed call can't be read because of status %d",
  async (status, body) => {
    stubResponse('GET', callPath, status, body, { 'Retry-After': '5' })
    stubResponse('GET', callPath, status, body, { 'Retry-After': '5' })

    expect(
      await runExpectingError(`${operation}.performResume`, { outputData, cleanedRequest: event }),
    ).toMatchObject({
      name: 'HaltedError',
      message: `The call is completed, but its result couldn't be read. Don't replay this run, because that can queue another call. To get the result, open call ${exampleCall.id} in Outdial, or use Find Call with this ID.`,
    })
  },
)

it('asks Zapier to refresh the token if it has expired when the step resumes', async () => {
  stubResponse('GET', callPath, 401, errorBody('expired_credential', 'Expired.'))

  expect(
    await runExpectingError(`${operation}.performResume`, { outputData, cleanedRequest: event }),
  ).toMatchObject({ name: 'RefreshAuthError' })
})

describe('Zapier waits at most 30 days for a callback', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

  it.each([true, false])(
    'so the step rejects an Earliest Call Time more than 22 days ahead (in the Zap editor: %j)',
    async (isLoadingSample) => {
      const input = { ...inputData, scheduled_at: inDays(23) }
      const meta = { isLoadingSample }

      expect(
        await runExpectingError(`${operation}.perform`, { inputData: input, callbackUrl, meta }),
      ).toMatchObject({
        name: 'HaltedError',
        message: expect.stringContaining('Earliest Call Time is more than 22 days ahead'),
      })
    },
  )

  it('so the step accepts an Earliest Call Time 21 days ahead', async () => {
    const requests = queued()
    const scheduled_at = inDays(21)

    await run(`${operation}.perform`, { inputData: { ...inputData, scheduled_at }, callbackUrl })

    expect(parseBody(requests)).toEqual({
      lenient: true,
      ...inputData,
      scheduled_at,
      callback_url: callbackUrl,
    })
  })
})
