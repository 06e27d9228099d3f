import { expect, it } from '@jest/globals'
import { sampleCampaign } from '../../src/generated.ts'
import { apiPath, run, stubResponse } from '../support/connector.ts'

const perform = 'searches.find_campaign.operation.perform'
const page = (results: unknown[]) => ({ results, next: null, previous: null })

it('lists an exact match before campaigns whose names contain the text', async () => {
  const longer = { ...sampleCampaign, id: 3, name: 'Website leads, spring' }
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, page([longer, sampleCampaign]))

  const output = await run(perform, { inputData: { name: ' website LEADS ', partial_match: 'Yes' } })

  expect(requests[0]?.url.searchParams.get('search')).toBe('website LEADS')
  expect(output).toEqual([sampleCampaign, longer])
})

it.each(['', 'No'])('returns only exact matches if Include Partial Matches is %j', async (partial_match) => {
  const longer = { ...sampleCampaign, id: 3, name: 'Website leads, spring' }
  stubResponse('GET', apiPath('/campaigns/'), 200, page([longer, sampleCampaign]))

  const output = await run(perform, { inputData: { name: 'website leads', partial_match } })

  expect(output).toEqual([sampleCampaign])
})

it.each(['', '   ', null])('finds nothing for a blank name: %j', async (name) => {
  expect(await run(perform, { inputData: { name } })).toEqual([])
})

it('returns exact matches first, then active campaigns, then paused ones, and archived ones last', async () => {
  const campaign = (id: number, name: string, status: string) => ({ ...sampleCampaign, id, name, status })
  stubResponse(
    'GET',
    apiPath('/campaigns/'),
    200,
    page([
      campaign(1, 'Old website leads', 'archived'),
      campaign(2, 'Website leads, fall', 'paused'),
      campaign(3, 'Website leads', 'archived'),
      campaign(4, 'Website leads, spring', 'active'),
      campaign(5, 'Website leads', 'paused'),
      campaign(6, 'Website leads', 'active'),
    ]),
  )

  const output = await run<{ id: number }[]>(perform, {
    inputData: { name: 'website leads', partial_match: 'yes', include_archived: 'yes' },
  })

  expect(output.map(({ id }) => id)).toEqual([6, 5, 3, 4, 2, 1])
})

it.each([
  ['', ['active', 'paused']],
  ['No', ['active', 'paused']],
  ['Yes', []],
])(
  'if Include Archived is %j, sends the API a filter with the statuses %j',
  async (include_archived, statuses) => {
    const requests = stubResponse('GET', apiPath('/campaigns/'), 200, page([]))

    await run(perform, { inputData: { name: 'Website leads', include_archived } })

    expect(requests[0]?.url.searchParams.getAll('status')).toEqual(statuses)
  },
)

it('returns an empty list if nothing matches', async () => {
  stubResponse('GET', apiPath('/campaigns/'), 200, page([]))

  expect(await run(perform, { inputData: { name: 'no such' } })).toEqual([])
})

it('searches for the text exactly as typed', async () => {
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, page([]))

  await run(perform, { inputData: { name: '{{bundle.x}} & 50% = 😀' } })

  expect(requests[0]?.url.searchParams.get('search')).toBe('{{bundle.x}} & 50% = 😀')
})
