import { beforeEach, describe, expect, it } from '@jest/globals'
import { exampleAgent, exampleCall } from '@outdial/contract'
import type { PlainOutputField } from 'zapier-platform-core'
import { apiPath, errorBody, run, runExpectingError, stubFailure, stubResponse } from './support/connector.ts'

const steps = [
  'triggers.call_completed',
  'triggers.contact_opted_out_in_a_call',
  'creates.queue_call',
  'creates.queue_call_and_wait',
  'searches.find_call',
]

const calls = (...extracted: unknown[]) =>
  stubResponse('GET', apiPath('/calls/'), 200, {
    results: extracted.map((values) => ({ ...exampleCall, extracted: values })),
  })

const agents = (...listed: object[]) =>
  stubResponse('GET', apiPath('/agents/'), 200, {
    results: listed.map((values) => ({ ...exampleAgent, results: [], ...values })),
  })

let liveAgents: object[] = []
beforeEach(() => {
  liveAgents = []
})

const result = (name: string) => ({ name, type: 'text', description: '', choices: [] })

/** Returns the output fields that a step offers for extracted values. */
async function extractedFields(inputData = {}, step = 'creates.queue_call'): Promise<PlainOutputField[]> {
  agents(...liveAgents)
  const fields = await run<PlainOutputField[]>(`${step}.operation.outputFields`, { inputData })
  return fields.filter(({ key }) => key.startsWith('extracted'))
}

describe('an extracted value', () => {
  it.each(steps)(
    'has a labeled output field in %s, even if only one of the last calls has the value',
    async (step) => {
      calls({ interested: true }, {}, { interested: null, preferred_time: 'Thursday morning' })

      expect(await extractedFields({}, step)).toEqual([
        { key: 'extracted__interested', label: 'Extracted: Interested' },
        { key: 'extracted__preferred_time', label: 'Extracted: Preferred Time' },
      ])
    },
  )

  it('is searched for in the last ten answered calls of the chosen campaign and agent', async () => {
    const requests = calls({})

    await extractedFields({ campaign_id: ' 12 ', agent_id: 7 }, 'triggers.call_completed')

    expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({
      outcome: 'answered',
      campaign_id: '12',
      agent_id: '7',
      limit: '10',
    })
  })

  it.each(['Website leads', '12abc', '{{1__id}}', '', null, ['12']])(
    'when %j is entered as the campaign, has a field if a call of any campaign has the value',
    async (campaign_id) => {
      const requests = calls({ interested: true })

      expect(await extractedFields({ campaign_id })).toHaveLength(1)
      expect(requests[0]?.url.searchParams.has('campaign_id')).toBe(false)
    },
  )

  it.each(['preferred time', 'time.of.day', '名前', '_hidden', 'a__b', ''])(
    "has no field if its name can't be part of a Zapier field's key: %j",
    async (name) => {
      calls({ [name]: 'x', interested: true })

      expect((await extractedFields()).map(({ key }) => key)).toEqual(['extracted__interested'])
    },
  )
})

describe("an agent's result", () => {
  const ava = { id: 7, results: [result('appointment_day'), result('interested')] }
  const ben = { id: 8, results: [result('is_coming')] }
  const keys = async (inputData = {}) => (await extractedFields(inputData)).map(({ key }) => key)

  it('has a field even if no call has it yet, and is listed before the values of past calls', async () => {
    liveAgents = [ava, ben]
    calls({ interested: true, old_name: 'x' })
    expect(await extractedFields()).toEqual([
      { key: 'extracted__appointment_day', label: 'Extracted: Appointment Day' },
      { key: 'extracted__interested', label: 'Extracted: Interested' },
      { key: 'extracted__is_coming', label: 'Extracted: Is Coming' },
      { key: 'extracted__old_name', label: 'Extracted: Old Name' },
    ])
  })

  it('has no field if another agent is chosen', async () => {
    liveAgents = [ava, ben]
    calls()
    expect(await keys({ agent_id: '8' })).toEqual(['extracted__is_coming'])
  })

  it("has a field even if past calls can't be read, and values of past calls have fields even if agents can't be read", async () => {
    liveAgents = [ava]
    stubResponse('GET', apiPath('/calls/'), 503, errorBody('unavailable', 'Unavailable.'))
    expect(await keys()).toEqual(['extracted__appointment_day', 'extracted__interested'])
    liveAgents = [{ id: 'none' }]
    calls({ interested: true })
    expect(await keys()).toEqual(['extracted__interested'])
  })

  it("has no field if an earlier version of the API doesn't return results", async () => {
    liveAgents = [{ id: 7, results: undefined }]
    calls({ interested: true })
    expect(await keys()).toEqual(['extracted__interested'])
  })
})

describe('the step shows no error and no extracted values', () => {
  it('if Outdial is unavailable', async () => {
    stubResponse('GET', apiPath('/calls/'), 503, errorBody('unavailable', 'Unavailable.'))
    expect(await extractedFields()).toEqual([])
  })

  it("if Outdial can't be reached", async () => {
    stubFailure('GET', apiPath('/calls/'), 'ECONNREFUSED')
    expect(await extractedFields()).toEqual([])
  })

  it.each([undefined, null])('if a call has %j for extracted values', async (extracted) => {
    calls(extracted)
    expect(await extractedFields()).toEqual([])
  })
})

it('asks Zapier to refresh the token if Outdial rejects it', async () => {
  agents()
  stubResponse('GET', apiPath('/calls/'), 401, errorBody('invalid_token', 'Invalid token.'))

  expect(await runExpectingError('creates.queue_call.operation.outputFields')).toMatchObject({
    name: 'RefreshAuthError',
  })
})
