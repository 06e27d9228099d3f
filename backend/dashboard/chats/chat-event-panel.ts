import type { CallCompletedEvent } from '@outdial/contract'
import { field, type FormModel, postForm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { PageModel } from '../page/page-model.ts'
import type { Receiver } from './chat-queries.ts'

export interface ChatEventData {
  event: CallCompletedEvent
  receivers: readonly Receiver[]
  /** False for a chat with a contact: a test event would keep the contact's data even after the contact is erased. */
  hasSampleValues: boolean
  /** The path that the test event's form is sent to. */
  action: string
}

/** Shows the event that a call with the same conversation would send. */
export const chatEventPanel = (
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  { event, receivers, hasSampleValues, action }: ChatEventData,
): Html => html`
  <section class="panel" aria-labelledby="event">
    <h2 id="event">Event</h2>
    <p class="soft small-text">A chat sends no event. After a call with this conversation, webhooks and Zaps would get the one below. Values that
      a chat doesn't have are examples.</p>
    <details class="tool-call">
      <summary>call.completed</summary>
      <pre tabindex="0" role="region" aria-label="Event">${JSON.stringify(event, null, 2)}</pre>
    </details>
    ${
      !hasSampleValues
        ? html`<p class="hint">Only a chat with sample values can be sent as a test event, because the event would keep the data
            of an erased contact.</p>`
        : receivers.length === 0
          ? html`<p class="hint">No webhooks or Zaps yet. <a href="${ui.to('/integrations')}">Connect one</a> to send it the event.</p>`
          : testEventForm(form.sentTo(action), action, receivers)
    }
  </section>
`

const testEventForm = (form: FormModel, action: string, receivers: readonly Receiver[]): Html =>
  postForm(
    form,
    { action, class: 'filters' },
    html`
      ${field({
        form,
        name: 'subscription_id',
        label: 'Receiver',
        options: receivers.map(({ id, target_url: url }) => ({ value: id, label: `${id}: ${url}` })),
        required: true,
      })}
      <button class="quiet">Send test event</button>
    `,
  )
