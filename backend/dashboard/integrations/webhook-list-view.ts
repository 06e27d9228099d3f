import { badge, live, pager, time } from '../../platform/views/elements.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { defineView } from '../page/define-page.ts'
import type { Ui } from '../page/page-model.ts'
import { integrationTabs } from './integration-tabs.ts'
import {
  describeEnd,
  formatSubscriptionOwner,
  formatWebhookFilter,
  subscriptionBadge,
} from './subscription-texts.ts'
import type { countCallbackDeliveries, SubscriptionSummary } from './webhook-queries.ts'

interface ListData {
  subscriptions: readonly SubscriptionSummary[]
  /** Subscriptions that ended in the last 30 days, the latest first. */
  ended: readonly SubscriptionSummary[]
  callbacks: Awaited<ReturnType<typeof countCallbackDeliveries>>
  previous: string | null
  next: string | null
}

export const webhookListView = defineView(
  ({ ui, here }, { subscriptions, previous, next, ended, callbacks }: ListData) => html`
    ${integrationTabs({ ui, here: '/integrations/webhooks' })}
    <div class="page-head">
      <div>
        <h2>Webhooks</h2>
        <p class="lead">URLs that receive <code>call.completed</code> events. Zaps subscribe when they're turned on. Your code subscribes with the API.</p>
      </div>
    </div>
    <div class="live"${attributes(live(here, '5s'))}>
      <section class="panel flush" aria-label="Subscriptions">
        ${
          subscriptions.length === 0
            ? html`
              <div class="empty">
                <p><strong>No webhook subscriptions yet.</strong></p>
                <p>Turn on a Zap that starts with <em>Call Completed</em>, or send <code>POST /webhooks/subscribe</code> with an API key.</p>
                <a class="button quiet" href="${ui.to('/integrations')}">Connect Zapier</a>
              </div>
            `
            : html`
              <div class="table-scroll" tabindex="0" role="group" aria-label="Subscriptions">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">${labels.subscription.target_url}</th>
                      <th scope="col">Health</th>
                      <th scope="col">Last event</th>
                      <th scope="col" class="number">Pending</th>
                      <th scope="col" class="number">Failed</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${subscriptions.map(
                      (row) => html`
                        <tr>
                          <th scope="row" class="target">
                            <a href="${ui.to(`/integrations/webhooks/${row.id}`)}">${row.target_url}</a>
                            <small>${formatSubscriptionOwner(row)}</small><small>${formatWebhookFilter(row)}</small>
                          </th>
                          <td>
                            ${badge(subscriptionBadge(row))} ${since(ui, row.disabled_at ?? row.failing_since)}
                          </td>
                          <td class="nowrap">
                            ${row.last_at ? time(ui, row.last_at) : html`<span class="soft">None yet</span>`}
                          </td>
                          <td class="number">${ui.count(row.pending)}</td>
                          <td class="number">${ui.count(row.exhausted)}</td>
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </div>
              ${pager({ previous, next })}
            `
        }
      </section>
    </div>
    ${
      ended.length > 0 &&
      html`
        <section class="panel flush" aria-labelledby="ended">
          <h2 id="ended">Ended in the last 30 days</h2>
          <div class="table-scroll" tabindex="0" role="group" aria-label="Ended subscriptions">
            <table>
              <thead>
                <tr>
                  <th scope="col">${labels.subscription.target_url}</th>
                  <th scope="col">Reason</th>
                  <th scope="col">Ended</th>
                </tr>
              </thead>
              <tbody>
                ${ended.map(
                  (row) => html`
                    <tr>
                      <th scope="row" class="target">
                        <a href="${ui.to(`/integrations/webhooks/${row.id}`)}">${row.target_url}</a>
                        <small>${formatSubscriptionOwner(row)}</small><small>${formatWebhookFilter(row)}</small>
                      </th>
                      <td>${describeEnd(row)?.reason ?? null}</td>
                      <td class="nowrap">${row.ended_at === null ? null : time(ui, row.ended_at)}</td>
                    </tr>
                  `,
                )}
              </tbody>
            </table>
          </div>
        </section>
      `
    }
    <section class="panel" aria-labelledby="callbacks">
      <div class="panel-head">
        <h2 id="callbacks">Callback URLs</h2>
        <a class="button quiet small" href="${ui.to('/integrations/callbacks')}">Deliveries and signing secrets</a>
      </div>
      <p class="soft">
        ${
          callbacks.any
            ? html`
              If a call is queued with a <code>callback_url</code>, its event is also sent to that URL:
              ${ui.plural(callbacks.pending, 'delivery', 'deliveries')} pending,
              ${ui.count(callbacks.exhausted)} failed.
            `
            : html`
              If a call is queued with a <code>callback_url</code>, its event is also sent to that URL. No deliveries yet.
            `
        }
      </p>
    </section>
  `,
)

const since = (ui: Ui, at: Date | null): Html | null =>
  at === null
    ? null
    : html`
      <small>
        since ${time(ui, at)}
      </small>
    `
