import type { Campaign } from '@outdial/contract'
import {
  type Bundle,
  defineInputFields,
  type Search,
  type SearchOrCreate,
  type ZObject,
} from 'zapier-platform-core'
import {
  campaignFields,
  campaignNameLabel,
  findCampaignTexts as texts,
  sampleCampaign,
} from '../generated.ts'
import { campaigns, isArchived, isSameName, searchByName } from '../lists.ts'
import { readInput, yesOrNo } from '../read-input.ts'

const inputFields = defineInputFields([
  {
    key: 'name',
    label: campaignNameLabel,
    required: true,
    helpText: "The exact name. Capitalization doesn't matter.",
  },
  { key: 'partial_match', ...texts.partial_match, choices: yesOrNo },
  { key: 'include_archived', ...texts.include_archived, choices: yesOrNo },
])

/** Returns the best match first, because Zapier uses the first result. A blank name matches nothing. */
const perform = async (z: ZObject, bundle: Bundle): Promise<Campaign[]> => {
  const input = readInput(z, bundle, inputFields)
  const name = input.text('name')
  const isPartial = input.yesOrNo('partial_match') ?? false
  if (name === undefined) return []
  const status = input.yesOrNo('include_archived') ? undefined : ['active', 'paused']
  const similar = await searchByName(z, campaigns, name, { status })
  // By default, the whole name must match. A part of it could find another campaign, which would then call people.
  const matches = isPartial ? similar : similar.filter((campaign) => isSameName(campaign.name, name))
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

/** Finds a campaign by name, and creates one if none has this name. */
export const findOrCreateCampaign = {
  // Zapier requires this key to be the same as the search's key.
  key: findCampaign.key,
  display: {
    label: 'Find or Create Campaign',
    description: "Finds a campaign by name, or creates it if it doesn't exist.",
  },
  search: findCampaign.key,
  create: 'create_campaign',
} satisfies SearchOrCreate
