import { expect, it } from '@jest/globals'
import { exampleAgent, exampleCampaign, examplePhoneNumber } from '@outdial/contract'
import { queueCall } from '../../src/creates/queue-call.ts'
import { callCompleted } from '../../src/triggers/call-completed.ts'
import { apiPath, run, stubResponse } from '../support/connector.ts'

const page = (results: unknown[]) => ({ results, next: null, previous: null })
const list = (key: string, pageNumber = 0) =>
  run(`triggers.${key}.operation.perform`, { meta: { page: pageNumber } })

it("lists the newest campaigns first and archived ones last, with the status of those that aren't active", async () => {
  const paused = { ...exampleCampaign, id: 13, name: 'Summer leads', status: 'paused' }
  const archived = { ...exampleCampaign, id: 11, name: 'Old leads', status: 'archived' }
  const open = stubResponse('GET', apiPath('/campaigns/'), 200, page([paused, exampleCampaign]))
  const rest = stubResponse('GET', apiPath('/campaigns/'), 200, page([archived]))

  expect(await list('campaigns')).toEqual([
    { id: '13', label: 'Summer leads (paused)' },
    { id: '12', label: 'Website leads' },
    { id: '11', label: 'Old leads (archived)' },
  ])
  expect(open[0]?.url.search).toBe('?order=newest&status=active&status=paused&limit=100&offset=0')
  expect(rest[0]?.url.search).toBe('?order=newest&status=archived&limit=100&offset=0')
})

it('lists agents by name and language', async () => {
  stubResponse('GET', apiPath('/agents/'), 200, page([exampleAgent]))

  expect(await list('agents')).toEqual([{ id: '1', label: 'Ava · en-US' }])
})

it('shows the IDs of agents that have the same name and language', async () => {
  const agent = (id: number, language: string) => ({ ...exampleAgent, id, language })
  stubResponse(
    'GET',
    apiPath('/agents/'),
    200,
    page([agent(1, 'en-US'), agent(2, 'es-MX'), agent(3, 'es-MX')]),
  )

  expect(await list('agents')).toEqual([
    { id: '1', label: 'Ava · en-US' },
    { id: '2', label: 'Ava · es-MX · ID 2' },
    { id: '3', label: 'Ava · es-MX · ID 3' },
  ])
})

it('shows the IDs of campaigns that have the same name and status', async () => {
  const campaign = { ...exampleCampaign, name: 'Website leads', status: 'active' }
  stubResponse('GET', apiPath('/campaigns/'), 200, {
    results: [
      { ...campaign, id: 1 },
      { ...campaign, id: 2, status: 'paused' },
      { ...campaign, id: 3 },
    ],
  })

  expect(await list('open_campaigns')).toEqual([
    { id: '1', label: 'Website leads · ID 1' },
    { id: '2', label: 'Website leads (paused)' },
    { id: '3', label: 'Website leads · ID 3' },
  ])
})

it('in Queue Call, leaves out archived campaigns, and reads only the requested page', async () => {
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, page([exampleCampaign]))

  expect(await list('open_campaigns', 2)).toEqual([{ id: '12', label: 'Website leads' }])
  expect(requests[0]?.url.search).toBe('?order=newest&status=active&status=paused&limit=100&offset=200')
  expect(queueCall.operation.inputFields[1]).toMatchObject({ dynamic: 'open_campaigns.id.label' })
  expect(callCompleted.operation.inputFields[0]).toMatchObject({ dynamic: 'campaigns.id.label' })
})

it('lists time zones by city, on one page', async () => {
  expect(await list('time_zones')).toContainEqual({ id: 'Asia/Kolkata', label: 'Kolkata (Asia/Kolkata)' })
  expect(await list('time_zones', 1)).toEqual([])
})

it('lists phone numbers by label and number', async () => {
  stubResponse(
    'GET',
    apiPath('/phone-numbers/'),
    200,
    page([examplePhoneNumber, { ...examplePhoneNumber, id: 2, label: '' }]),
  )

  expect(await list('phone_numbers')).toEqual([
    { id: '1', label: 'Sales, Washington (+12025550199)' },
    { id: '2', label: '+12025550199' },
  ])
})

it.each(['agents', 'phone_numbers'])('reads the list of %s page by page', async (key) => {
  const path = apiPath(`/${key.replace('_', '-')}/`)
  const first = stubResponse('GET', path, 200, page([]))
  const third = stubResponse('GET', path, 200, page([]))

  await list(key, 0)
  await list(key, 2)

  expect(first[0]?.url.search).toBe('?limit=100&offset=0')
  expect(third[0]?.url.search).toBe('?limit=100&offset=200')
})
