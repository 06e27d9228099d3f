import { resumeCampaign } from '../../campaigns/resume.ts'
import { defineCommand } from '../command.ts'
import { campaignOption, workspaceOption } from '../options.ts'

export const resumeCampaignCommand = defineCommand({
  name: 'resume-campaign',
  summary: 'Lets the calls of a paused campaign go on.',
  options: { workspace: workspaceOption, id: campaignOption },
  run: async (deps, { workspace, id }) => {
    const campaign = await resumeCampaign(deps)({ workspaceId: workspace, campaignId: id })
    return { note: `The campaign ${id} is ${campaign.status}.` }
  },
})
