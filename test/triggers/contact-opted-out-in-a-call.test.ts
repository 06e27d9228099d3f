import { expect, it } from '@jest/globals'
import { type CallCompletedEvent, exampleCall } from '@outdial/contract'
import { samplePaths } from '../../scripts/connector-keys.ts'
import { callCompleted } from '../../src/triggers/call-completed.ts'
import { contactOptedOutInACall } from '../../src/triggers/contact-opted-out-in-a-call.ts'
import { apiPath, parseBody, run, stubResponse } from '../support/connector.ts'

const operation = 'triggers.contact_opted_out_in_a_call.operation'
const targetUrl = 'https://hooks.zapier.com/hooks/standard/1/abc/'
const optOut = { ...exampleCall, opted_out: true }
const event: CallCompletedEvent = {
  id: 'evt_1',
  type: 'call.completed',
  timestamp: '2026-05-04T13:59:30.000Z',
  workspace_id: 3,
  data: optOut,
}

it('subscribes only to calls in which the contact opts out', async () => {
  const requests = stubResponse('POST', apiPath('/webhooks/subscribe'), 201, { id: 7 })

  const output = await run(`${operation}.performSubscribe`, {
    targetUrl,
    inputData: { campaign_id: '12', agent_id: '' },
  })

  expect(parseBody(requests)).toEqual({
    target_url: targetUrl,
    event: 'call.completed',
    filter: { campaign_id: 12, opted_out: true },
  })
  expect(output).toEqual({ id: 7 })
})

it('lists the newest calls in which the contact opted out, in the format of deliveries', async () => {
  const page = { results: [optOut], next: null, previous: null }
  const requests = stubResponse('GET', apiPath('/calls/'), 200, page)

  const output = await run(`${operation}.performList`, { inputData: { agent_id: 3 } })

  expect(requests[0]?.url.search).toBe('?status=completed&agent_id=3&opted_out=true&limit=10')
  expect(output).toEqual(await run(`${operation}.perform`, { cleanedRequest: event }))
  expect(output).toMatchObject([{ id: exampleCall.id, opted_out: true }])
})

it('has the same output fields as Call Completed, and a sample with an opt-out', () => {
  const { outputFields, sample } = contactOptedOutInACall.operation
  expect(outputFields).toEqual(callCompleted.operation.outputFields)
  expect(samplePaths(sample)).toEqual(samplePaths(callCompleted.operation.sample))
  expect(sample).toMatchObject({ opted_out: true, contact: { do_not_call: true } })
})

it('skips a call without an opt-out, which an earlier version of the API sends', async () => {
  const other = { ...event, data: { ...exampleCall, opted_out: false } }
  const rawRequest = { content: JSON.stringify(other) }

  expect(await run(`${operation}.perform`, { cleanedRequest: other, rawRequest })).toEqual([])
})
