import { expect, it } from '@jest/globals'
import { exampleAgent, exampleCampaign, examplePhoneNumber } from '@outdial/contract'
import { apiPath, run, stubResponse } from '../support/connector.ts'

const page = (results: unknown[]) => ({ results, next: null, previous: null })
const list = (key: string, pageNumber = 0) =>
  run(`triggers.${key}.operation.perform`, { meta: { page: pageNumber } })

it("lists campaigns by name, with the status of those that aren't active", async () => {
  const paused = { ...exampleCampaign, id: 13, name: 'Old leads', status: 'paused' }
  stubResponse('GET', apiPath('/campaigns/'), 200, page([exampleCampaign, paused]))

  expect(await list('campaigns')).toEqual([
    { id: '12', label: 'Website leads' },
    { id: '13', label: 'Old leads (paused)' },
  ])
})

it('lists agents by name', async () => {
  stubResponse('GET', apiPath('/agents/'), 200, page([exampleAgent]))

  expect(await list('agents')).toEqual([{ id: '1', label: 'Ava' }])
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

it.each(['campaigns', 'agents', 'phone_numbers'])('reads the %s page by page', async (key) => {
  const path = apiPath(`/${key.replace('_', '-')}/`)
  const first = stubResponse('GET', path, 200, page([]))
  const third = stubResponse('GET', path, 200, page([]))

  await list(key, 0)
  await list(key, 2)

  expect(first[0]?.url.search).toBe('?limit=100&offset=0')
  expect(third[0]?.url.search).toBe('?limit=100&offset=200')
})
