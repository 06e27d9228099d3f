import type { Extracted, Sentiment } from '@outdial/contract'

/** A talk that a simulated contact may have. Names in {{}} are filled from contact, agent and campaign. */
export interface Talk {
  lines: readonly (readonly ['agent' | 'contact', string])[]
  hangsUp: 'agent' | 'contact'
  refused: boolean
  summary: string
  sentiment: Sentiment
  goalMet: boolean
  extracted: Extracted
}

export const interested: Talk = {
  lines: [
    ['agent', '{{greeting}}'],
    ['contact', 'Oh, hello. Yes, I remember, I asked about that.'],
    ['agent', 'Glad I reached you. Would you like one of our people to take you through {{topic}}?'],
    ['contact', 'Yes, please. Could somebody call me on Thursday morning?'],
    ['agent', 'Thursday morning it is. You will get a confirmation shortly.'],
    ['contact', 'Perfect, thank you.'],
    ['agent', 'Thank you, {{name}}. Goodbye.'],
  ],
  hangsUp: 'agent',
  refused: false,
  summary: '{{name}} is interested in {{topic}} and asked for an appointment on Thursday morning.',
  sentiment: 'positive',
  goalMet: true,
  extracted: { interested: true, preferred_time: 'Thursday morning', callback_requested: false },
}

export const refusal: Talk = {
  lines: [
    ['agent', '{{greeting}}'],
    ['contact', 'How did you get this number? Please take me off your list.'],
    ['agent', 'I am sorry for the trouble. I will see to it that you are not called again.'],
    ['contact', 'Good. Do not call me again.'],
  ],
  hangsUp: 'contact',
  refused: true,
  summary: '{{name}} asked not to be called again.',
  sentiment: 'negative',
  goalMet: false,
  extracted: { interested: false, do_not_call_requested: true },
}

const notNow: Talk = {
  lines: [
    ['agent', '{{greeting}}'],
    ['contact', 'Thanks, but we have just settled that with somebody else.'],
    ['agent', 'I understand. May I ask whether {{topic}} could matter again later this year?'],
    ['contact', 'Perhaps in the autumn. Not now, though.'],
    ['agent', 'Then I will not keep you. Have a good day, {{name}}.'],
  ],
  hangsUp: 'agent',
  refused: false,
  summary: '{{name}} has settled on another provider and may look at {{topic}} again in the autumn.',
  sentiment: 'neutral',
  goalMet: false,
  extracted: { interested: false, reason: 'chose another provider', follow_up: 'autumn' },
}

const callBack: Talk = {
  lines: [
    ['agent', '{{greeting}}'],
    ['contact', 'I am in a meeting. Can you call back later?'],
    ['agent', 'Of course. What time suits you?'],
    ['contact', 'Tomorrow after four would be fine.'],
    ['agent', 'Tomorrow after four. Until then, {{name}}.'],
  ],
  hangsUp: 'agent',
  refused: false,
  summary: '{{name}} was in a meeting and asked to be called back tomorrow after four.',
  sentiment: 'neutral',
  goalMet: false,
  extracted: { interested: null, callback_requested: true, preferred_time: 'tomorrow after four' },
}

const wrongPerson: Talk = {
  lines: [
    ['agent', '{{greeting}}'],
    ['contact', 'I think you have the wrong number. There is nobody of that name here.'],
    ['agent', 'I beg your pardon. I will correct our records. Goodbye.'],
  ],
  hangsUp: 'agent',
  refused: false,
  summary: 'The number does not belong to {{name}}: somebody else answered.',
  sentiment: 'neutral',
  goalMet: false,
  extracted: { interested: false, wrong_person: true },
}

const needsPrice: Talk = {
  lines: [
    ['agent', '{{greeting}}'],
    ['contact', 'Right. What would it cost?'],
    ['agent', 'That depends on the size. I can have a quote for {{topic}} sent to you today.'],
    ['contact', 'By email, please, and for two people.'],
    ['agent', 'For two people, by email. It will be with you this afternoon.'],
    ['contact', 'Great, bye.'],
  ],
  hangsUp: 'contact',
  refused: false,
  summary: '{{name}} asked for a quote for {{topic}} for two people, by email.',
  sentiment: 'positive',
  goalMet: true,
  extracted: { interested: true, quote_requested: true, people: 2, channel: 'email' },
}

/** What a number without a part of its own may meet. */
export const talks: readonly Talk[] = [interested, notNow, callBack, wrongPerson, needsPrice]

export const voicemailMessage =
  'Hello {{name}}, this is {{agent}} about {{topic}}. I will try again. You can also call back this number.'
