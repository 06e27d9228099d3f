import { badge, time } from '../../platform/views/elements.ts'
import { button, confirm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { defineView } from '../page/define-page.ts'
import type { Ui } from '../page/page-model.ts'
import { type DeliveryTable } from './delivery-pages.ts'
import { deliveryTable } from './delivery-table.ts'
import {
  describeEnd,
  formatSubscriptionOwner,
  formatWebhookFilter,
  subscriptionBadge,
} from './subscription-texts.ts'
import type { findReportToZapier, SubscriptionSummary } from './webhook-queries.ts'

type EndReport = NonNullable<Awaited<ReturnType<typeof findReportToZapier>>>

interface WebhookData {
  subscription: SubscriptionSummary
  endReport: EndReport | undefined
  /** True if Outdial reports to this URL that the subscription has ended. */
  reportsEnd: boolean
  /** When the previous signing secret expires; null if there is none. */
  previousSecretUntil: Date | null
  table: DeliveryTable
}

export const webhookView = defineView((page, data: WebhookData) => {
  const { ui, form, here, isOwner, user } = page
  const { subscription, table, previousSecretUntil } = data
  const end = describeEnd(subscription)
  const endReport = data.endReport === undefined ? null : describeEndReport(data.endReport)
  const isDisabled = subscription.disabled_at !== null
  const { testDetail, removeDetail } = formatActionDetails(subscription.app !== null, data.reportsEnd)
  return html`
    <a class="crumb" href="${ui.to('/integrations/webhooks')}">${icon('back')} Webhooks</a>
    <div class="page-head">
      <div>
        <h1 class="target">${subscription.target_url}</h1>
        <p class="lead">${formatSubscriptionOwner(subscription)}</p>
        ${end === null && !isDisabled && html`<p class="soft small-text">${testDetail}</p>`}
      </div>
      ${
        end === null &&
        html`
          <div class="page-head-actions">
            ${
              isDisabled
                ? button({
                    form,
                    action: ui.to(`/integrations/webhooks/${subscription.id}/enable`),
                    label: 'Enable',
                    look: 'primary',
                  })
                : button({
                    form,
                    action: ui.to(`/integrations/webhooks/${subscription.id}/test`),
                    look: 'primary',
                    label: 'Send test event',
                  })
            }
            ${
              (isOwner || subscription.user_id === user.userId) &&
              html`
                <a class="button quiet small" href="${ui.to(`/integrations/webhooks/${subscription.id}/rotate`)}">Rotate secret</a>
              `
            }
            ${confirm({
              form,
              id: 'remove',
              action: ui.to(`/integrations/webhooks/${subscription.id}/remove`),
              label: 'Remove',
              question: 'Remove this subscription?',
              detail: removeDetail,
              confirm: 'Remove subscription',
            })}
          </div>
        `
      }
    </div>
    ${healthNotice(ui, subscription)}
    <section class="panel" aria-label="About this subscription">
      <dl class="facts">
        <dt>Health</dt><dd>${badge(subscriptionBadge(subscription))}</dd>
        <dt>${labels.subscription.filter}</dt><dd>${formatWebhookFilter(subscription)}</dd>
        <dt>${labels.subscription.created_at}</dt><dd>${time(ui, subscription.created_at)}</dd>
        ${
          endReport
            ? html`
              <dt>Zapier</dt>
              <dd>
                ${endReport.text}
                ${endReport.at ? html`<span class="soft">(${time(ui, endReport.at)})</span>` : null}
              </dd>
            `
            : null
        }
        <dt>Pending</dt><dd>${ui.plural(subscription.pending, 'delivery', 'deliveries')}</dd>
        <dt>Failed</dt>
        <dd class="row">
          <span>${ui.plural(subscription.exhausted, 'delivery', 'deliveries')}</span>
          ${
            subscription.exhausted > 0 &&
            !isDisabled &&
            end === null &&
            confirm({
              form,
              id: 'replay',
              action: ui.to(`/integrations/webhooks/${subscription.id}/replay`),
              look: 'quiet',
              label: 'Send all again',
              question: `Send ${ui.plural(subscription.exhausted, 'delivery', 'deliveries')} again?`,
              detail: 'Each event keeps its ID, so the receiver can recognize events it already has.',
              confirm: 'Send failed deliveries again',
            })
          }
        </dd>
        ${
          previousSecretUntil
            ? html`
              <dt>${labels.subscription.secret}</dt>
              <dd>
                Rotated. The previous secret also signs deliveries until
                ${time(ui, previousSecretUntil)}.
              </dd>
            `
            : null
        }
      </dl>
    </section>
    ${deliveryTable({
      ui,
      table,
      here,
      empty:
        'Deliveries appear here when calls are completed. Send a test event to check that the receiver responds.',
    })}
  `
})

function healthNotice(ui: Ui, subscription: SubscriptionSummary): Html | null {
  const { disabled_at, failing_since, exhausted } = subscription
  const end = describeEnd(subscription)
  if (end !== null)
    return html`
      <p class="notice">
        ${end.reason} (${time(ui, end.at)}). No events are sent to this URL
        anymore. The delivery log is deleted 30 days after the subscription ended.
      </p>
    `
  if (disabled_at !== null)
    return html`
      <p class="notice" data-tone="bad">
        Disabled since ${time(ui, disabled_at)} because every delivery failed for
        five days. Nothing is sent until you enable it${exhausted > 0 && '; you can then send failed deliveries again'}.
        Turning a Zap off and on also enables it.
      </p>
    `
  if (failing_since === null) return null
  return html`
    <p class="notice" data-tone="warn">
      Failing since ${time(ui, failing_since)}. Each event is retried for
      about three days. After five days without a successful delivery, the subscription is disabled.
    </p>
  `
}

/** Says if Zapier was notified that the subscription has ended. */
function describeEndReport(report: EndReport): { text: string; at: Date | null } {
  const { status, status_code, error, last_attempt_at: at, next_attempt_at } = report
  switch (status) {
    case 'pending':
      return { text: `Outdial will notify Zapier. ${error ?? ''}`.trim(), at: next_attempt_at }
    case 'canceled':
      return {
        text: "Outdial didn't notify Zapier, because the Zap may still use this URL, or has already ended this subscription",
        at: null,
      }
    case 'exhausted':
    case 'gone':
      return { text: `Outdial couldn't notify Zapier. ${error ?? ''} Turn the Zap off in Zapier.`, at }
    case 'delivered':
      return { text: `Outdial notified Zapier (HTTP ${status_code ?? ''})`, at }
  }
}

/** Explains what a test event and removing the subscription do. */
function formatActionDetails(
  isApp: boolean,
  reportsEnd: boolean,
): { testDetail: string; removeDetail: string } {
  const testDetail =
    "A test event is a sample that matches the subscription's filter and is marked as a test. It's sent once, without retries."
  const removeDetail =
    "Pending deliveries are canceled. The delivery log stays for 30 days. You can't undo this."
  const stays = "The Zap or app stays on, but won't receive events until it's turned off and on again."
  const effect = isApp ? stays : 'This URL stops receiving events.'
  const runsZap = isApp ? ' If the Zap is on, it runs with the sample data, as it would for a real call.' : ''
  return {
    testDetail: `${testDetail}${runsZap}`,
    removeDetail: `${reportsEnd ? 'Outdial tells Zapier to turn the Zap off.' : effect} ${removeDetail}`,
  }
}
