import type { Extracted, Sentiment } from '@outdial/contract'
import { getOwn } from '../../../platform/core/records.ts'
import { fillPlaceholders, fillSpokenText, readCallValue } from '../../../queue/calls/fill-spoken-text.ts'
import { defaultGreeting, valueOf } from '../../../queue/calls/greeting.ts'
import type { DialRequest } from '../provider.ts'
import type { Intent } from './tool-steps.ts'

type SpokenTurn = readonly ['agent' | 'contact', string]

/** A conversation with a simulated contact. `fillScenarioText` replaces the placeholders in {{}}. */
export interface Scenario {
  /** Spoken turns, and what the agent does between them. */
  steps: readonly (SpokenTurn | Intent)[]
  hangsUp: 'agent' | 'contact'
  optedOut: boolean
  summary: string
  sentiment: Sentiment
  goalMet: boolean
  extracted: Extracted
}

export const interested: Scenario = {
  steps: [
    { action: 'look_up_contact' },
    ['agent', '{{greeting}}'],
    ['contact', 'Oh, hello. Yes, I remember, I asked about that.'],
    [
      'agent',
      "I'm glad I reached you. Would you like to set up a time to talk with our team about {{topic}}?",
    ],
    ['contact', 'Yes, please. Could I get an appointment on Thursday morning?'],
    { action: 'search_knowledge', query: 'appointment times, {{product}}' },
    ['agent', "Thursday morning it is. You'll get a confirmation shortly."],
    { action: 'take_note', text: 'Interested in {{offer}}. Wants an appointment on Thursday morning.' },
    { action: 'append_row', row: 'Appointment on Thursday morning' },
    ['contact', 'Perfect, thank you.'],
    ['agent', 'Thank you, {{name}}. Goodbye.'],
  ],
  hangsUp: 'agent',
  optedOut: false,
  summary: '{{Contact}} is interested in {{offer}} and asked for an appointment on Thursday morning.',
  sentiment: 'positive',
  goalMet: true,
  extracted: { interested: true, preferred_time: 'Thursday morning', callback_requested: false },
}

export const optOut: Scenario = {
  steps: [
    ['agent', '{{greeting}}'],
    ['contact', 'How did you get this number? Please take me off your list.'],
    { action: 'add_to_do_not_call' },
    ['agent', "I'm sorry for the trouble. We won't call you again."],
    ['contact', "Good. Don't call me again."],
  ],
  hangsUp: 'contact',
  optedOut: true,
  summary: '{{Contact}} asked not to be called again.',
  sentiment: 'negative',
  goalMet: false,
  extracted: { interested: false, do_not_call_requested: true },
}

const notNow: Scenario = {
  steps: [
    { action: 'look_up_contact' },
    ['agent', '{{greeting}}'],
    ['contact', 'Thanks, but we just went with another company.'],
    ['agent', 'I understand. May I ask again about {{topic}} later this year?'],
    ['contact', 'Maybe in the fall. Not now, though.'],
    { action: 'take_note', text: 'Chose another provider. Might be interested in {{offer}} in the fall.' },
    ['agent', "Then I won't keep you. Have a good day, {{name}}."],
  ],
  hangsUp: 'agent',
  optedOut: false,
  summary: '{{Contact}} chose another provider and might be interested in {{offer}} in the fall.',
  sentiment: 'neutral',
  goalMet: false,
  extracted: { interested: false, reason: 'chose another provider', follow_up: 'fall' },
}

export const callbackRequest: Scenario = {
  steps: [
    { action: 'look_up_contact' },
    ['agent', '{{greeting}}'],
    ['contact', "I'm in a meeting. Can you call back later?"],
    ['agent', 'Of course. What time works for you?'],
    ['contact', 'Tomorrow after four works.'],
    { action: 'schedule_callback', days: 1, time: '16:00' },
    ['agent', "Tomorrow after four. I'll call you then, {{name}}."],
  ],
  hangsUp: 'agent',
  optedOut: false,
  summary: '{{Contact}} was in a meeting and asked to be called back tomorrow after four.',
  sentiment: 'neutral',
  goalMet: false,
  extracted: { interested: null, callback_requested: true, preferred_time: 'tomorrow after four' },
}

const wrongPerson: Scenario = {
  steps: [
    { action: 'look_up_contact' },
    ['agent', '{{greeting}}'],
    ['contact', "I think you have the wrong number. I didn't ask for a call."],
    { action: 'take_note', text: "Wrong number: it doesn't belong to {{contact}}." },
    ['agent', "I'm sorry about that. I'll correct our records. Goodbye."],
  ],
  hangsUp: 'agent',
  optedOut: false,
  summary: "The number doesn't belong to {{contact}}. Someone else answered.",
  sentiment: 'neutral',
  goalMet: false,
  extracted: { interested: false, wrong_person: true },
}

const needsPrice: Scenario = {
  steps: [
    { action: 'look_up_contact' },
    ['agent', '{{greeting}}'],
    ['contact', 'Right. What would it cost?'],
    { action: 'search_knowledge', query: 'price, {{product}}' },
    ['agent', 'That depends on the size. I can have a quote for {{topic}} sent to you today.'],
    ['contact', 'By email, please, and for two people.'],
    { action: 'append_row', row: 'Quote by email, for two people' },
    ['agent', "For two people, by email. You'll have it this afternoon."],
    ['contact', 'Great, bye.'],
  ],
  hangsUp: 'contact',
  optedOut: false,
  summary: '{{Contact}} asked for a quote for two people, by email.',
  sentiment: 'positive',
  goalMet: true,
  extracted: { interested: true, quote_requested: true, people: 2, channel: 'email' },
}

/** The scenarios for phone numbers without a fixed scenario. */
export const scenarios: readonly Scenario[] = [interested, notNow, callbackRequest, wrongPerson, needsPrice]

export const voicemailMessage =
  "Hello {{name}}, this is {{agent}} about {{topic}}. I'll try again later. You can also call back at this number."

/** The agent says this once, after the first tool failure. The conversation then continues. */
export const apology = "I'm sorry, my notes are slow to load today. Let's continue without them."

export const voicemailSummary = 'Reached voicemail and left a message about {{offer}}.'

/** Fills in a text of a scenario. Every text reads well without a name and a product, because contacts can lack both. */
export function fillScenarioText(template: string, request: DialRequest): string {
  const contact = {
    first_name: request.contact.firstName,
    last_name: request.contact.lastName,
    variables: request.contact.variables,
  }
  const values = { agentName: request.agent.name, campaignName: request.campaignName, contact }
  if (template === '{{greeting}}') return fillSpokenText(request.agent.greeting || defaultGreeting, values)
  const name = valueOf('name', contact)
  const product = valueOf('topic', contact)
  const ofScenario: Record<string, string> = {
    product,
    offer: product || 'the offer',
    contact: name || 'the contact',
    // Capitalized, because it starts a sentence.
    Contact: name || 'The contact',
  }
  return fillPlaceholders(template, (key) => getOwn(ofScenario, key) ?? readCallValue(key, values))
}
