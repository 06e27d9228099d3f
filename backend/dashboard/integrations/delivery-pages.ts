import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { type Badge, deliveryBadge } from '../../platform/views/badges.ts'
import { badge, live, time } from '../../platform/views/elements.ts'
import { formatMilliseconds } from '../../platform/views/format.ts'
import { button } from '../../platform/views/forms.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { unsignedHeaders } from '../../webhooks/deliver.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { defineAction, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { type FilterLink, toListAddress } from '../page/filter-links.ts'
import { toKeysetPage } from '../page/keyset.ts'
import { IdParams, type IdPathContext, type PageContext, pathTo } from '../page/page-context.ts'
import { formatReplayMessage } from './webhook-actions.ts'
import {
  type DeliverySummary,
  findDelivery,
  selectDeliveries,
  selectDeliveryAttempts,
} from './webhook-queries.ts'

interface DeliveryData {
  delivery: NonNullable<Awaited<ReturnType<typeof findDelivery>>>
  attempts: Awaited<ReturnType<typeof selectDeliveryAttempts>>
}

const deliveryView = defineView(({ ui, here, form }, { delivery, attempts }: DeliveryData) => {
  const origin = toOrigin(delivery.subscription_id)
  const hasEnded = delivery.subscription_ended_at !== null
  const isDisabled = delivery.disabled_at !== null && !hasEnded
  const canReplay =
    delivery.status === 'exhausted' &&
    delivery.call_id !== null &&
    !isDisabled &&
    !hasEnded &&
    delivery.callback_ended_at === null
  return html`
    <a
      class="crumb"
      href="${ui.to(origin.path)}"
    >${icon('back')} ${origin.label}</a>
    <div class="live stack-wide"${attributes(live(here, '3s'))}>
      <div class="page-head">
        <div>
          <h1>${delivery.call_id === null ? 'Test event' : `Event for call ${delivery.call_id}`}</h1>
          <p class="lead target">${delivery.target_url}</p>
        </div>
        <div class="page-head-actions">
          ${delivery.call_id ? html`<a class="button quiet small" href="${ui.to(`/calls/${delivery.call_id}`)}">View call</a>` : null}
          ${
            canReplay &&
            button({
              form,
              action: ui.to(`/integrations/deliveries/${delivery.id}/replay`),
              label: 'Send again',
              look: 'primary',
            })
          }
        </div>
      </div>
      ${
        isDisabled &&
        html`
          <p class="notice" data-tone="bad">
            The subscription is disabled, so nothing is sent to it. <a href="${ui.to(origin.path)}">Enable the subscription</a>,
            then send this delivery again.
          </p>
        `
      }
      <div class="panels">
        <section class="panel" aria-label="About this delivery">
          <dl class="facts">
            <dt>Status</dt><dd>${badge(deliveryBadge(delivery.status, attempts.length, delivery.ended_reason))}</dd>
            <dt>Created at</dt><dd>${time(ui, delivery.created_at)}</dd>
            ${
              delivery.next_attempt_at
                ? html`
                  <dt>${attempts.length === 0 ? 'Due' : 'Next attempt'}</dt>
                  <dd>
                    ${time(ui, delivery.next_attempt_at, 'ago')}
                    <span class="soft">(${time(ui, delivery.next_attempt_at)})</span>
                  </dd>
                `
                : null
            }
            ${delivery.finished_at ? html`<dt>Finished</dt><dd>${time(ui, delivery.finished_at)}</dd>` : null}
          </dl>
        </section>
        <section class="panel flush" aria-labelledby="attempts">
          <h2 id="attempts">Delivery attempts</h2>
          ${
            attempts.length === 0
              ? html`<p class="soft">None yet.</p>`
              : html`
                <div class="table-scroll" tabindex="0" role="group" aria-label="Delivery attempts">
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">Attempt</th>
                        <th scope="col">Response</th>
                        <th scope="col">Error</th>
                        <th scope="col" class="number">Duration</th>
                        <th scope="col">Time</th>
                      </tr>
                    </thead>
                    <tbody>
                      ${attempts.map(
                        (one) => html`
                          <tr>
                            <th scope="row">${one.number}</th>
                            <td>${badge(statusBadge(one.status_code))}</td>
                            <td>${one.error || html`<span class="soft">None</span>`}</td>
                            <td class="number nowrap">${formatMilliseconds(one.duration_ms)}</td>
                            <td class="nowrap">${time(ui, one.at)}</td>
                          </tr>
                        `,
                      )}
                    </tbody>
                  </table>
                </div>
              `
          }
        </section>
      </div>
    </div>
    <section class="panel" aria-labelledby="sent">
      <h2 id="sent">Request</h2>
      <h3>Headers (signature hidden)</h3>
      <pre tabindex="0" aria-label="Headers">${formatHeaders(delivery.event_id, attempts[0]?.at ?? null)}</pre>
      <h3>Body</h3>
      <pre tabindex="0" aria-label="Body">${formatBody(delivery.body)}</pre>
    </section>
  `
})

const toOrigin = (subscriptionId: number | null) =>
  subscriptionId === null
    ? { path: '/integrations/callbacks', label: 'Callback URLs' }
    : { path: `/integrations/webhooks/${subscriptionId}`, label: 'Webhook' }

export const deliveryPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id } }) => {
    const delivery = await findDelivery(deps.db, workspace.id, id)
    if (delivery === undefined) throw new FormError('not_found', 'Delivery not found.')
    const attempts = await selectDeliveryAttempts(deps.db, workspace.id, id)
    return deliveryView('Delivery', { delivery, attempts })
  },
})

export const replayDeliveryAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    if (!(await findDelivery(tx.db, context.workspace.id, context.params.id)))
      throw new FormError('not_found', 'Delivery not found.')
    const count = await replayDeliveries(tx, context.workspace.id, { deliveryId: context.params.id })
    return redirectTo(deliveryPath(context), formatReplayMessage(count))
  },
  back: (context) => deliveryPath(context),
})

const deliveryPath = (context: IdPathContext) =>
  pathTo(context, `/integrations/deliveries/${context.params.id}`)

function statusBadge(status: number | null): Badge {
  if (status === null) return { tone: 'bad', text: 'No response' }
  return { tone: status >= 200 && status < 300 ? 'good' : 'bad', text: `HTTP ${status}` }
}

/** Formats the headers of the last attempt. Omits the signature, which could be used to send the body again. */
function formatHeaders(eventId: string, attemptedAt: Date | null): string {
  const headers: Record<string, string> = { ...unsignedHeaders, 'webhook-id': eventId }
  if (attemptedAt !== null)
    headers['webhook-timestamp'] = String(Math.floor(attemptedAt.getTime() / secondMs))
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Indents a body, which is sent as one line. */
function formatBody(body: string): string {
  const value: unknown = JSON.parse(body)
  return JSON.stringify(value, null, 2)
}

export interface DeliveryTable {
  rows: readonly DeliverySummary[]
  /** True to show where each delivery was sent, instead of the contact. */
  showTarget: boolean
  filters: FilterLink[]
  isFiltered: boolean
  previous: string | null
  next: string | null
}

const DeliveryStatus = z.enum(['pending', 'delivered', 'exhausted', 'gone', 'canceled'])
const Id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

/** Query of a delivery list. Invalid values are ignored. */
export const DeliveryQuery = z.object({
  status: DeliveryStatus.optional().catch(undefined),
  before: Id.optional().catch(undefined),
  after: Id.optional().catch(undefined),
})

const statusFilters = [
  { status: undefined, label: 'All' },
  ...(['pending', 'delivered', 'exhausted'] as const).map((status) => ({
    status,
    label: deliveryBadge(status, 0).text,
  })),
]

const pageSize = 50

/** Reads a page of deliveries, with links to the pages before and after it. Later pages cost no more than the first. */
export async function readDeliveryTable(
  deps: Pick<Deps, 'db'>,
  context: PageContext<z.output<typeof DeliveryQuery>>,
  source: { subscriptionId: number | null; path: string; showTarget: boolean },
): Promise<DeliveryTable> {
  const { status, before, after } = context.query
  const { subscriptionId } = source
  const selection = { subscriptionId, status, before, after, limit: pageSize + 1 }
  const found = await selectDeliveries(deps.db, context.workspace.id, selection)
  const { rows, previous, next } = toKeysetPage(found, { before, after }, pageSize)
  const address = (query: Parameters<typeof toListAddress>[2]) => toListAddress(context, source.path, query)
  return {
    rows,
    showTarget: source.showTarget,
    filters: statusFilters.map((filter) => ({
      label: filter.label,
      address: address({ status: filter.status }),
      isHere: filter.status === status,
    })),
    isFiltered: status !== undefined || before !== undefined || after !== undefined,
    previous: previous && address({ status, ...previous }),
    next: next && address({ status, ...next }),
  }
}
