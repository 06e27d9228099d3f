// cspell:ignore Vjcm
import { describe, expect, it } from '@jest/globals'
import { type Call, type CallCompletedEvent, CallOutcome, exampleCall } from '@outdial/contract'
import { samplePaths } from '../../scripts/connector-keys.ts'
import { sampleCampaign } from '../../src/generated.ts'
import { callCompleted } from '../../src/triggers/call-completed.ts'
import {
  apiPath,
  errorBody,
  fileOfCall,
  parseBody,
  run,
  runExpectingError,
  stubResponse,
} from '../support/connector.ts'

const operation = 'triggers.call_completed.operation'
const targetUrl = 'https://hooks.zapier.com/hooks/standard/1/abc/'
const subscription = {
  id: 7,
  target_url: targetUrl,
  event: 'call.completed',
  filter: { campaign_id: 12, agent_id: null, outcome: ['answered', 'voicemail'] },
  secret: 'whsec_c2VjcmV0',
  created_at: '2026-05-04T08:00:00.000Z',
}
const event: CallCompletedEvent = {
  id: 'evt_1',
  type: 'call.completed',
  timestamp: '2026-05-04T13:59:30.000Z',
  workspace_id: 3,
  data: exampleCall,
}
/** The trigger's output for the example call. */
const flatCall: Record<string, unknown> = {
  ...exampleCall,
  outcome_label: 'Answered',
  reached: true,
  recording: null,
  transcript_file: fileOfCall('saveTranscript', exampleCall.id),
}
delete flatCall.waiting_for
delete flatCall.next_attempt_at
const page = (results: unknown[]) => ({ results, next: null, previous: null })

describe('a subscription', () => {
  it("has the user's filters, and its ID is returned for unsubscribing", async () => {
    const requests = stubResponse('POST', apiPath('/webhooks/subscribe'), 201, subscription)

    const output = await run(`${operation}.performSubscribe`, {
      targetUrl,
      inputData: { campaign_id: '12', agent_id: '', outcome: ['answered', 'voicemail'] },
    })

    expect(parseBody(requests)).toEqual({
      target_url: targetUrl,
      event: 'call.completed',
      filter: { campaign_id: 12, outcome: ['answered', 'voicemail'], test: 'exclude' },
    })
    // The output doesn't have the signing secret, because Zapier can't use it.
    expect(output).toEqual({ id: 7 })
  })

  it('covers every call but test calls if no filter is set', async () => {
    const requests = stubResponse('POST', apiPath('/webhooks/subscribe'), 200, subscription)

    await run(`${operation}.performSubscribe`, { targetUrl, inputData: { campaign_id: null, outcome: [] } })

    expect(parseBody(requests)).toEqual({
      target_url: targetUrl,
      event: 'call.completed',
      filter: { test: 'exclude' },
    })
  })

  it('covers only calls that met their goal, and also test calls, if the user chooses both', async () => {
    const requests = stubResponse('POST', apiPath('/webhooks/subscribe'), 201, subscription)

    await run(`${operation}.performSubscribe`, {
      targetUrl,
      inputData: { goal_met: 'yes', include_test_calls: 'Yes' },
    })

    expect(parseBody(requests)).toMatchObject({ filter: { goal_met: true } })
    expect(parseBody(requests)).not.toHaveProperty('filter.test')
  })

  it('is rejected with an error that names invalid filters by their labels in the form', async () => {
    const details = [
      { field: 'filter.outcome.0', code: 'invalid_value', message: "filter.outcome.0 isn't allowed." },
      { field: 'filter.test', code: 'invalid_value', message: "filter.test isn't allowed." },
      { field: 'filter.campaign_id', code: 'not_found', message: 'This campaign was deleted.' },
    ]
    stubResponse(
      'POST',
      apiPath('/webhooks/subscribe'),
      422,
      errorBody('validation_failed', 'Invalid.', details),
    )

    expect(
      await runExpectingError(`${operation}.performSubscribe`, {
        targetUrl,
        inputData: { campaign_id: '9' },
      }),
    ).toMatchObject({
      name: 'AppError',
      message:
        "Invalid. Outcomes isn't allowed. Include Test Calls isn't allowed. Campaign: This campaign was deleted. (Request ID: req_42)",
    })
  })

  it('accepts the labels of outcomes, and the exact name of a campaign', async () => {
    stubResponse('GET', apiPath('/campaigns/'), 200, page([{ ...sampleCampaign, id: 5, status: 'archived' }]))
    const requests = stubResponse('POST', apiPath('/webhooks/subscribe'), 201, subscription)

    await run(`${operation}.performSubscribe`, {
      targetUrl,
      inputData: { campaign_id: 'website leads', outcome: ['No Answer', 'failed'] },
    })

    expect(parseBody(requests)).toMatchObject({
      filter: { campaign_id: 5, outcome: ['no_answer', 'failed'] },
    })
  })

  it('accepts outcomes that were mapped as one text', async () => {
    const requests = stubResponse('POST', apiPath('/webhooks/subscribe'), 201, subscription)

    await run(`${operation}.performSubscribe`, { targetUrl, inputData: { outcome: ['answered, busy'] } })

    expect(parseBody(requests)).toMatchObject({ filter: { outcome: ['answered', 'busy'] } })
  })
})

describe('unsubscribing', () => {
  it('deletes the subscription by its ID', async () => {
    const requests = stubResponse('DELETE', apiPath('/webhooks/7/'), 204)

    await run(`${operation}.performUnsubscribe`, { subscribeData: subscription })

    expect(requests).toHaveLength(1)
  })

  it.each([404, 410])(
    'treats status %d as success, because the subscription no longer exists',
    async (status) => {
      stubResponse(
        'DELETE',
        apiPath('/webhooks/7/'),
        status,
        errorBody('not_found', 'This workspace has no webhook subscription with this ID. Check the ID.'),
      )

      await expect(
        run(`${operation}.performUnsubscribe`, { subscribeData: subscription }),
      ).resolves.toBeDefined()
    },
  )

  it('does nothing if subscribing had failed', async () => {
    await expect(run(`${operation}.performUnsubscribe`)).resolves.toEqual({})
  })

  it("fails if the service can't unsubscribe", async () => {
    stubResponse(
      'DELETE',
      apiPath('/webhooks/7/'),
      503,
      errorBody('unavailable', 'Not available at the moment.'),
    )

    expect(
      await runExpectingError(`${operation}.performUnsubscribe`, { subscribeData: subscription }),
    ).toMatchObject({
      message: 'Not available at the moment. (Request ID: req_42)',
    })
  })
})

describe('a delivery', () => {
  it('makes the trigger return the delivered call', async () => {
    expect(await run(`${operation}.perform`, { cleanedRequest: event })).toEqual([flatCall])
  })

  it('is skipped without an error if its event has another type, so that the Zap does not run', async () => {
    const cleanedRequest = { type: 'call.started', data: exampleCall }

    expect(await run(`${operation}.perform`, { cleanedRequest, rawRequest: {} })).toEqual([])
  })

  it.each([
    [{ hello: 'world' }],
    [null],
    [''],
    ['<!doctype html>'],
    [[exampleCall]],
    [{ type: 'call.completed' }],
    [{ type: 'call.completed', data: null }],
    [{ type: 'call.completed', data: { outcome: 'answered' } }],
    [undefined],
  ])(
    'is skipped with an error that halts the run if it has no completed call: %j',
    async (cleanedRequest) => {
      const rawRequest = { method: 'POST', content: '' }

      expect(await runExpectingError(`${operation}.perform`, { cleanedRequest, rawRequest })).toEqual({
        name: 'HaltedError',
        message:
          "Outdial sent data that isn't a completed call, so this event was skipped. If this keeps happening, contact Outdial support.",
      })
    },
  )
})

describe('the output', () => {
  const perform = async (call: Partial<Call>) => {
    const data = { ...exampleCall, ...call }
    const [output] = await run<object[]>(`${operation}.perform`, { cleanedRequest: { ...event, data } })
    return output
  }
  const uncertain = ['variables', 'extracted', 'metadata', 'transcript[]']

  it.each(CallOutcome.options)(
    'has every key of the sample for a call with the outcome %s',
    async (outcome) => {
      const output = await perform({
        outcome,
        contact: { ...exampleCall.contact, variables: {}, consent: null },
        origin: undefined,
        url: undefined,
        transcript: [],
        extracted: {},
        metadata: {},
      })

      const paths = samplePaths(output)
      expect(samplePaths(callCompleted.operation.sample).filter((path) => !paths.includes(path))).toEqual([])
      expect(samplePaths(callCompleted.operation.sample).filter((path) => uncertain.includes(path))).toEqual(
        [],
      )
    },
  )

  it('has a blank consent kind if the consent was stored without a kind', async () => {
    const consent = { source: 'Form', at: '2026-05-04T13:58:00.000Z' }
    const contact = { ...exampleCall.contact, consent }
    expect(await perform({ contact })).toMatchObject({ contact: { consent: { ...consent, kind: null } } })
  })

  it('says in words how the call ended, and whether a person answered', async () => {
    expect(await perform({ outcome: 'no_answer' })).toMatchObject({
      outcome_label: 'No answer',
      reached: false,
    })
    expect(await perform({ outcome: 'answered' })).toMatchObject({ outcome_label: 'Answered', reached: true })
    expect(await perform({ outcome: null })).toMatchObject({ outcome_label: null, reached: false })
  })

  it('keeps fields that a later version of the API adds', async () => {
    expect(await perform({ added_later: 7 } as object)).toMatchObject({ added_later: 7 })
  })
})

describe('the newest calls', () => {
  it("are requested with the trigger's filters, and returned in the format of deliveries", async () => {
    const requests = stubResponse('GET', apiPath('/calls/'), 200, page([exampleCall]))

    const output = await run(`${operation}.performList`, {
      inputData: { campaign_id: 12, agent_id: '', outcome: ['answered', 'busy'] },
    })

    expect(requests[0]?.url.search).toBe(
      '?status=completed&campaign_id=12&outcome=answered&outcome=busy&test=exclude&limit=10',
    )
    expect(output).toEqual(await run(`${operation}.perform`, { cleanedRequest: event }))
  })

  it('are an empty list if no call has been completed', async () => {
    stubResponse('GET', apiPath('/calls/'), 200, page([]))

    expect(await run(`${operation}.performList`)).toEqual([])
  })

  it("are returned if there's no delivery, for example when the CLI runs the trigger", async () => {
    stubResponse('GET', apiPath('/calls/'), 200, page([exampleCall]))

    expect(await run(`${operation}.perform`)).toEqual([flatCall])
  })
})
