import type { Campaign, CampaignList } from '@outdial/contract'
import { type Bundle, defineInputFields, type Search, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { campaignFields, campaignNameLabel, sampleCampaign } from '../generated.ts'
import { toText } from '../values.ts'

const inputFields = defineInputFields([
  {
    key: 'name',
    label: campaignNameLabel,
    required: true,
    helpText:
      "Enter the full name or part of it. Capitalization doesn't matter. An exact match is returned first.",
  },
])

/** Returns exact matches first, because Zapier uses the first result. */
export const perform = async (z: ZObject, bundle: Bundle): Promise<Campaign[]> => {
  const name = toText(bundle.inputData.name).trim()
  const query = { search: name, limit: 200 }
  const page = await callApi<CampaignList>(z, { method: 'GET', path: '/campaigns/', query, inputFields })
  const exactMatchScore = (campaign: Campaign) => Number(campaign.name.toLowerCase() === name.toLowerCase())
  return page.results.toSorted((one, other) => exactMatchScore(other) - exactMatchScore(one))
}

export const findCampaign = {
  key: 'find_campaign',
  noun: 'Campaign',
  display: { label: 'Find Campaign', description: 'Finds a campaign by name.' },
  operation: { inputFields, perform, sample: sampleCampaign, outputFields: campaignFields },
} satisfies Search
