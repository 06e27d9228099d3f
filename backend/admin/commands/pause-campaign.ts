import { pauseCampaign } from '../../campaigns/pause.ts'
import { defineCommand } from '../command.ts'
import { campaignOption, workspaceOption } from '../options.ts'

export const pauseCampaignCommand = defineCommand({
  name: 'pause-campaign',
  summary: 'Makes no more calls of a campaign; they wait.',
  options: { workspace: workspaceOption, id: campaignOption },
  run: async (deps, { workspace, id }) => {
    const campaign = await pauseCampaign(deps)({ workspaceId: workspace, campaignId: id })
    return { note: `The campaign ${id} is ${campaign.status}.` }
  },
})
