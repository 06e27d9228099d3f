import type { Badge } from '../../views/badges.ts'
import { badge, time } from '../../views/elements.ts'
import { button, confirm } from '../../views/forms.ts'
import { html } from '../../views/html.ts'
import { icon } from '../../views/icon.ts'
import { labels } from '../../views/labels.ts'
import { defineView } from '../page/define-page.ts'
import { type DeliveryTable } from './delivery-pages.ts'
import { deliveryTable } from './delivery-table.ts'

export interface WebhookData {
  webhook: {
    id: number
    targetUrl: string
    owner: string
    filter: string
    createdAt: Date
    badge: Badge
    since: Date | null
    /** Why and when the subscription ended; null if it hasn't. */
    ended: { reason: string; at: Date } | null
    /** Says whether Zapier knows that the subscription has ended; null if that isn't reported. */
    endReport: { text: string; at: Date | null } | null
    isDisabled: boolean
    isFailing: boolean
    pending: number
    exhausted: number
    /** When the previous signing secret expires; null if there is none. */
    previousSecretUntil: Date | null
    canRotate: boolean
    /** Explains what a test event does. */
    testDetail: string
    /** Explains what removing the subscription does. */
    removeDetail: string
  }
  table: DeliveryTable
}

export const webhookView = defineView(({ ui, form, here }, { webhook: hook, table }: WebhookData) => {
  return html`
    <a class="crumb" href="${ui.to('/integrations/webhooks')}">${icon('back')} Webhooks</a>
    <div class="page-head">
      <div>
        <h1 class="target">${hook.targetUrl}</h1>
        <p class="lead">${hook.owner}</p>
        ${hook.ended === null && !hook.isDisabled && html`<p class="soft small-text">${hook.testDetail}</p>`}
      </div>
      ${
        hook.ended === null &&
        html`
          <div class="page-head-actions">
            ${
              hook.isDisabled
                ? button({
                    form,
                    action: ui.to(`/integrations/webhooks/${hook.id}/enable`),
                    label: 'Enable',
                    look: 'primary',
                  })
                : button({
                    form,
                    action: ui.to(`/integrations/webhooks/${hook.id}/test`),
                    look: 'primary',
                    label: 'Send test event',
                  })
            }
            ${
              hook.canRotate &&
              html`
                <a class="button quiet small" href="${ui.to(`/integrations/webhooks/${hook.id}/rotate`)}">Rotate secret</a>
              `
            }
            ${confirm({
              form,
              id: 'remove',
              action: ui.to(`/integrations/webhooks/${hook.id}/remove`),
              label: 'Remove',
              question: 'Remove this subscription?',
              detail: hook.removeDetail,
              confirm: 'Remove subscription',
            })}
          </div>
        `
      }
    </div>
    ${
      hook.ended
        ? html`
          <p class="notice">
            ${hook.ended.reason} (${time(ui, hook.ended.at)}). No events are sent to this URL
            anymore. The delivery log is deleted 30 days after the subscription ended.
          </p>
        `
        : hook.isDisabled
          ? html`
            <p class="notice" data-tone="bad">
              Disabled since ${hook.since !== null && time(ui, hook.since)} because every delivery failed for
              five days. Nothing is sent until you enable it${hook.exhausted > 0 && html`; you can then replay failed deliveries`}.
              Turning a Zap off and on also enables it.
            </p>
          `
          : hook.isFailing
            ? html`
              <p class="notice" data-tone="warn">
                Failing since ${hook.since !== null && time(ui, hook.since)}. Each event is retried for
                about three days. After five days without a successful delivery, the subscription is disabled.
              </p>
            `
            : null
    }
    <section class="panel" aria-label="About this subscription">
      <dl class="facts">
        <dt>Health</dt><dd>${badge(hook.badge)}</dd>
        <dt>${labels.subscription.filter}</dt><dd>${hook.filter}</dd>
        <dt>${labels.subscription.created_at}</dt><dd>${time(ui, hook.createdAt)}</dd>
        ${
          hook.endReport
            ? html`
              <dt>Zapier</dt>
              <dd>
                ${hook.endReport.text}
                ${hook.endReport.at ? html`<span class="soft">(${time(ui, hook.endReport.at)})</span>` : null}
              </dd>
            `
            : null
        }
        <dt>Pending</dt><dd>${ui.plural(hook.pending, 'delivery', 'deliveries')}</dd>
        <dt>Failed</dt>
        <dd class="row">
          <span>${ui.plural(hook.exhausted, 'delivery', 'deliveries')}</span>
          ${
            hook.exhausted > 0 &&
            !hook.isDisabled &&
            hook.ended === null &&
            confirm({
              form,
              id: 'replay',
              action: ui.to(`/integrations/webhooks/${hook.id}/replay`),
              look: 'quiet',
              label: 'Replay all',
              question: `Send ${ui.plural(hook.exhausted, 'delivery', 'deliveries')} again?`,
              detail: 'Each event keeps its ID, so the receiver can recognize events it already has.',
              confirm: 'Replay failed deliveries',
            })
          }
        </dd>
        ${
          hook.previousSecretUntil
            ? html`
              <dt>${labels.subscription.secret}</dt>
              <dd>
                Rotated. The previous secret also signs deliveries until
                ${time(ui, hook.previousSecretUntil)}.
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
