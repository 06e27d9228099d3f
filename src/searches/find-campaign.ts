import type { Campaign } from '@outdial/contract'
import { type Bundle, defineInputFields, type Search, type ZObject } from 'zapier-platform-core'
import { campaignFields, campaignNameLabel, sampleCampaign } from '../generated.ts'
import { campaigns, isArchived, isSameName, searchByName } from '../lists.ts'
import { readInput } from '../read-input.ts'

const inputFields = defineInputFields([
  {
    key: 'name',
    label: campaignNameLabel,
    required: true,
    helpText:
      "Enter the full name or part of it. Capitalization doesn't matter. Exact matches are returned first. Among equal matches, archived campaigns are returned last.",
  },
])

/** Returns the best match first, because Zapier uses the first result. A blank name matches nothing. */
export const perform = async (z: ZObject, bundle: Bundle): Promise<Campaign[]> => {
  const name = readInput(z, bundle, inputFields).text('name')
  if (name === undefined) return []
  const matches = await searchByName(z, campaigns, name)
  const rank = (campaign: Campaign) =>
    Number(!isSameName(campaign.name, name)) * 4 +
    Number(isArchived(campaign)) * 2 +
    Number(campaign.status === 'paused')
  return matches.toSorted((one, other) => rank(one) - rank(other))
}

export const findCampaign = {
  key: 'find_campaign',
  noun: 'Campaign',
  display: { label: 'Find Campaign', description: 'Finds a campaign by name.' },
  operation: { inputFields, perform, sample: sampleCampaign, outputFields: campaignFields },
} satisfies Search
