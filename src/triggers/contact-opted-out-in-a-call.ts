import { defineInputFields } from 'zapier-platform-core'
import { callCompletedTexts as texts, sampleCall } from '../generated.ts'
import { agents, campaigns } from '../lists.ts'
import { readInput } from '../read-input.ts'
import { defineCallTrigger } from './call-trigger.ts'

const inputFields = defineInputFields([
  { key: 'campaign_id', ...texts.campaign_id, dynamic: 'campaigns.id.label' },
  { key: 'agent_id', ...texts.agent_id, dynamic: 'agents.id.label' },
])

/** Nobody opts out in a test call, so there's no field that includes them. */
export const contactOptedOutInACall = defineCallTrigger({
  key: 'contact_opted_out_in_a_call',
  display: {
    label: 'Contact Opted Out in a Call',
    description: 'Triggers when a contact opts out in a call, not elsewhere.',
  },
  inputFields,
  readFilter: async (z, bundle) => {
    const input = readInput(z, bundle, inputFields)
    return {
      campaign_id: await input.id('campaign_id', campaigns),
      agent_id: await input.id('agent_id', agents),
      opted_out: true,
    }
  },
  isWanted: (call) => call.opted_out === true,
  sample: {
    ...sampleCall,
    contact: { ...sampleCall.contact, do_not_call: true },
    opted_out: true,
    goal_met: false,
    sentiment: 'negative',
    summary: 'Maya asked not to be called again.',
    transcript_text: "Agent: Hello Maya, this is Ava.\nContact: Please don't call me again.",
  },
})
