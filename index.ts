import { defineApp, version as platformVersion } from 'zapier-platform-core'
import { authentication } from './src/authentication.ts'
import { addBearer } from './src/client.ts'
import { addToDoNotCallList } from './src/creates/add-to-do-not-call-list.ts'
import { cancelWaitingCalls } from './src/creates/cancel-waiting-calls.ts'
import { createCampaign } from './src/creates/create-campaign.ts'
import { queueCall } from './src/creates/queue-call.ts'
import { queueCallAndWait } from './src/creates/queue-call-and-wait.ts'
import { retriedByZapier } from './src/errors.ts'
import { version } from './src/generated.ts'
import { downloadRecording } from './src/recording.ts'
import { findCall } from './src/searches/find-call.ts'
import { findCampaign, findOrCreateCampaign } from './src/searches/find-campaign.ts'
import { findDoNotCallNumber } from './src/searches/find-do-not-call-number.ts'
import { saveTranscript } from './src/transcript-file.ts'
import { callCompleted } from './src/triggers/call-completed.ts'
import { contactOptedOutInACall } from './src/triggers/contact-opted-out-in-a-call.ts'
import { agents, campaigns, openCampaigns, phoneNumbers, timeZoneChoices } from './src/triggers/dropdowns.ts'

export default defineApp({
  version,
  platformVersion,
  flags: { cleanInputData: false, throwForThrottlingEarly: false },
  authentication,
  beforeRequest: [addBearer],
  hydrators: { downloadRecording, saveTranscript },
  triggers: {
    [callCompleted.key]: callCompleted,
    [contactOptedOutInACall.key]: contactOptedOutInACall,
    [campaigns.key]: campaigns,
    [openCampaigns.key]: openCampaigns,
    [agents.key]: agents,
    [phoneNumbers.key]: phoneNumbers,
    [timeZoneChoices.key]: timeZoneChoices,
  },
  searches: {
    [findCall.key]: retriedByZapier(findCall),
    [findCampaign.key]: retriedByZapier(findCampaign),
    [findDoNotCallNumber.key]: retriedByZapier(findDoNotCallNumber),
  },
  searchOrCreates: { [findOrCreateCampaign.key]: findOrCreateCampaign },
  creates: {
    [queueCall.key]: retriedByZapier(queueCall),
    [queueCallAndWait.key]: retriedByZapier(queueCallAndWait),
    [cancelWaitingCalls.key]: retriedByZapier(cancelWaitingCalls),
    [addToDoNotCallList.key]: retriedByZapier(addToDoNotCallList),
    [createCampaign.key]: retriedByZapier(createCampaign),
  },
})
