import { defineApp, version as platformVersion } from 'zapier-platform-core'
import { authentication } from './src/authentication.ts'
import { addBearer } from './src/client.ts'
import { createCampaign } from './src/creates/create-campaign.ts'
import { queueCall } from './src/creates/queue-call.ts'
import { version } from './src/generated.ts'
import { findCampaign } from './src/searches/find-campaign.ts'
import { callCompleted } from './src/triggers/call-completed.ts'
import { agents, campaigns, openCampaigns, phoneNumbers, timeZoneChoices } from './src/triggers/dropdowns.ts'

export default defineApp({
  version,
  platformVersion,
  flags: { cleanInputData: false, throwForThrottlingEarly: false },
  authentication,
  beforeRequest: [addBearer],
  triggers: {
    [callCompleted.key]: callCompleted,
    [campaigns.key]: campaigns,
    [openCampaigns.key]: openCampaigns,
    [agents.key]: agents,
    [phoneNumbers.key]: phoneNumbers,
    [timeZoneChoices.key]: timeZoneChoices,
  },
  searches: { [findCampaign.key]: findCampaign },
  creates: { [createCampaign.key]: createCampaign, [queueCall.key]: queueCall },
})
