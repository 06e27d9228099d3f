import { expect, it } from '@jest/globals'
import { sampleCampaign } from '../../src/generated.ts'
import { apiPath, run, stubResponse } from '../support/connector.ts'

const perform = 'searches.find_campaign.operation.perform'
const page = (results: unknown[]) => ({ results, next: null, previous: null })

it('lists an exact match before campaigns whose names contain the text', async () => {
  const longer = { ...sampleCampaign, id: 3, name: 'Website leads, spring' }
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, page([longer, sampleCampaign]))

  const output = await run(perform, { inputData: { name: ' website LEADS ' } })

  expect(requests[0]?.url.searchParams.get('search')).toBe('website LEADS')
  expect(output).toEqual([sampleCampaign, longer])
})

it('returns an empty list if nothing matches', async () => {
  stubResponse('GET', apiPath('/campaigns/'), 200, page([]))

  expect(await run(perform, { inputData: { name: 'no such' } })).toEqual([])
})

it('searches for the text exactly as typed', async () => {
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, page([]))

  await run(perform, { inputData: { name: '{{bundle.x}} & 50% = 😀' } })

  expect(requests[0]?.url.searchParams.get('search')).toBe('{{bundle.x}} & 50% = 😀')
})
