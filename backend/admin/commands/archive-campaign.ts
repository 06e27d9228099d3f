import { archiveCampaign } from '../../campaigns/campaign-status.ts'
import { defineCommand } from '../command.ts'
import { campaignOption, workspaceOption } from '../options.ts'

export const archiveCampaignCommand = defineCommand({
  name: 'archive-campaign',
  summary: 'Closes a campaign for good: what waits ends as canceled, and nothing can be queued.',
  options: { workspace: workspaceOption, id: campaignOption },
  run: async (deps, { workspace, id }) => {
    const campaign = await archiveCampaign(deps)({ workspaceId: workspace, campaignId: id })
    return { note: `The campaign ${id} is ${campaign.status}.` }
  },
})
