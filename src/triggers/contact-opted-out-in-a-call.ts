import { sampleCall } from '../generated.ts'
import { defineCallTrigger } from './call-trigger.ts'

/** Contacts don't opt out in test calls, so the trigger has no field that includes test calls. */
export const contactOptedOutInACall = defineCallTrigger({
  key: 'contact_opted_out_in_a_call',
  display: {
    label: 'Contact Opted Out in a Call',
    description: 'Triggers when a contact opts out in a call, not elsewhere.',
  },
  readFilter: () => ({ opted_out: true }),
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
