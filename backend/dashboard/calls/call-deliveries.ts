import { deliveryBadge } from '../../platform/views/badges.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { button, type PageForm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'
import type { CallHistory } from '../stories/call-history.ts'
import { hasNoReceivers } from '../stories/describe-deliveries.ts'

type Delivery = CallHistory['deliveries'][number]

/** Shows where the event of a call was sent. Null if it has no event yet. */
export function callDeliveries(ui: Ui, form: PageForm, history: CallHistory): Html | null {
  const { event, deliveries } = history
  if (event === undefined) return null
  const isUnsent = hasNoReceivers(event, deliveries)
  return html`
    <section class="panel" aria-labelledby="deliveries">
      <div class="panel-head"><h2 id="deliveries">Webhook deliveries</h2><code class="small-text">${event.id}</code></div>
      ${deliveries.length === 0 && !isUnsent && html`<p class="soft">No deliveries are stored for this event.</p>`}
      ${
        isUnsent &&
        html`
          <p class="soft">No deliveries. <a href="${ui.to('/integrations')}">Connect Zapier or a webhook</a></p>
        `
      }
      ${deliveries.map((delivery) => deliveryOfCall(ui, form, history, delivery))}
    </section>
  `
}

function deliveryOfCall(
  ui: Ui,
  form: PageForm,
  { call, deliveryAttempts }: CallHistory,
  delivery: Delivery,
): Html {
  const attempts = deliveryAttempts.filter(({ delivery_id }) => delivery_id === delivery.id)
  const canReplay =
    delivery.status === 'exhausted' &&
    delivery.disabled_at === null &&
    delivery.ended_reason === null &&
    delivery.callback_ended_at === null
  return html`
    <article class="delivery">
      <div class="panel-head">
        <div class="delivery-target">
          <a href="${ui.to(`/integrations/deliveries/${delivery.id}`)}">${delivery.target_url}</a>
          <small class="soft">
            ${
              delivery.subscription_id === null
                ? 'Callback URL of this call'
                : html`
                  <a href="${ui.to(`/integrations/webhooks/${delivery.subscription_id}`)}">Webhook subscription
                    ${delivery.subscription_id}</a>
                `
            }
          </small>
        </div>
        <div class="row">
          ${badge(deliveryBadge(delivery.status, attempts.length, delivery.ended_reason))}
          ${
            canReplay &&
            button({
              form,
              action: ui.to(`/calls/${call.id}/replay`),
              label: 'Send again',
              fields: { delivery_id: delivery.id },
            })
          }
        </div>
      </div>
      ${delivery.next_attempt_at ? html`<p class="soft small-text">Next attempt ${time(ui, delivery.next_attempt_at)}</p>` : null}
    </article>
  `
}
