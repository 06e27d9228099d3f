import { type Html, html } from '../../platform/views/html.ts'

/** Example instructions to start from. docs/guides/agents-and-tools.md has the same ones. */
const examples = [
  {
    name: 'Reminder',
    text: "You remind people of their appointment on {{appointment_day}}. Ask whether they're coming. If not, ask which day suits them better, and note it. Don't give medical advice. If they ask for it, say that the practice will call them back.",
  },
  {
    name: 'Lead',
    text: "You call people who asked about {{product|our offer}} on our website. Find out what they need, for how many people, and by when. If they ask about prices, search the knowledge base, and don't guess. Offer a call with a colleague on a weekday.",
  },
  {
    name: 'Survey',
    text: "You ask customers three questions about their visit: how satisfied they were from 1 to 5, what was good, and what we can do better. Ask one after the other. Don't defend us, and thank them for each answer.",
  },
]

/** Offers three instructions to copy. */
export const instructionExamples = (): Html => html`
  <details>
    <summary>Examples: a reminder, a lead, a survey</summary>
    <dl class="long-texts">
      ${examples.map(
        ({ name, text }) => html`
          <dt>${name}</dt>
          <dd>${text}</dd>
        `,
      )}
    </dl>
  </details>
`
