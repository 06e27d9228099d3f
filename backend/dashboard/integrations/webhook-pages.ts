import type { WebhookFilter } from '@outdial/contract'
import * as z from 'zod'
import { FormError } from '../../core/form-errors.ts'
import { toPage } from '../../core/pagination.ts'
import type { SubscriptionEndedReason } from '../../db/tables/webhook-tables.ts'
import type { Deps } from '../../deps.ts'
import type { Badge } from '../../views/badges.ts'
import { definePage } from '../page/define-page.ts'
import { PageNumber } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { DeliveryQuery, readDeliveryTable } from './delivery-pages.ts'
import { webhookListView } from './webhook-list-view.ts'
import {
  countCallbackDeliveries,
  findReportToZapier,
  selectSubscriptions,
  type SubscriptionSummary,
} from './webhook-queries.ts'
import { type WebhookData, webhookView } from './webhook-view.ts'

export const webhookPage = definePage({
  params: IdParams,
  query: DeliveryQuery,
  show: async (deps, context) => {
    const {
      workspace,
      user,
      params: { id },
    } = context
    const [found] = await selectSubscriptions(deps.db, workspace.id, { id, limit: 1, offset: 0 })
    if (found === undefined) throw new FormError('not_found', 'Subscription not found.')
    const canRotate = found.user_id === user.userId || workspace.role === 'owner'
    const path = `/integrations/webhooks/${id}`
    const source = { subscriptionId: id, path, showTarget: false }
    return webhookView('Webhook', {
      webhook: {
        ...toShownWebhook(deps.config, found, deps.clock.now()),
        endReport: describeEndReport(await findReportToZapier(deps.db, workspace.id, id)),
        canRotate,
      },
      table: await readDeliveryTable(deps, context, source),
    })
  },
})

const toShownWebhook = ({ zapierHooksOrigin }: Deps['config'], row: SubscriptionSummary, now: Date) => ({
  id: row.id,
  targetUrl: row.target_url,
  owner: formatSubscriptionOwner(row),
  filter: formatWebhookFilter(row),
  createdAt: row.created_at,
  ...toHealth(row),
  ended: toEnd(row),
  isDisabled: row.disabled_at !== null,
  isFailing: row.failing_since !== null,
  pending: row.pending,
  exhausted: row.exhausted,
  previousSecretUntil:
    row.previous_secret_until !== null && row.previous_secret_until > now ? row.previous_secret_until : null,
  ...formatActionDetails(row.app !== null, new URL(row.target_url).origin === zapierHooksOrigin),
})

/** Says what became of the report to Zapier that the subscription has ended. */
function describeEndReport(
  report: Awaited<ReturnType<typeof findReportToZapier>>,
): WebhookData['webhook']['endReport'] {
  if (report === undefined) return null
  const { status, status_code, error, last_attempt_at: at, next_attempt_at } = report
  switch (status) {
    case 'pending':
      return { text: `Zapier will be told. ${error ?? ''}`.trim(), at: next_attempt_at }
    case 'canceled':
      return {
        text: "Zapier wasn't told, because the Zap may still use this URL, or has already ended this subscription",
        at: null,
      }
    case 'exhausted':
    case 'gone':
      return { text: `Zapier couldn't be told. ${error ?? ''} Turn the Zap off in Zapier.`, at }
    case 'delivered':
      return { text: `Zapier was told (HTTP ${status_code ?? ''})`, at }
  }
}

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

const Query = z.object({ page: PageNumber })

const pageSize = 50

export const webhookListPage = definePage({
  toleratesLag: true,
  query: Query,
  show: async (deps, context) => {
    const { page } = context.query
    const limits = { limit: pageSize + 1, offset: (page - 1) * pageSize }
    const found = await selectSubscriptions(deps.db, context.workspace.id, limits)
    const { items, hasMore } = toPage(found, pageSize)
    const address = (to: number) => pathTo(context, `/integrations/webhooks?page=${to}`)
    return webhookListView('Webhooks', {
      rows: items.map((item) => ({
        id: item.id,
        targetUrl: item.target_url,
        owner: formatSubscriptionOwner(item),
        filter: formatWebhookFilter(item),
        ...toHealth(item),
        lastAt: item.last_at,
        pending: item.pending,
        exhausted: item.exhausted,
      })),
      ended: (
        await selectSubscriptions(deps.db, context.workspace.id, { ended: true, limit: pageSize, offset: 0 })
      )
        .map(toEndedRow)
        .filter((row) => row !== undefined),
      callbacks: await countCallbackDeliveries(deps.db, context.workspace.id),
      previous: page > 1 ? address(page - 1) : null,
      next: hasMore ? address(page + 1) : null,
    })
  },
})

const endedReasons: Record<SubscriptionEndedReason, string> = {
  unsubscribed: 'Unsubscribed',
  gone: 'The receiver responded with status 410',
  app_disconnected: 'The app was disconnected',
  key_revoked: 'The API key was revoked',
  member_removed: 'The member was removed',
}

function toEnd(row: SubscriptionSummary): { reason: string; at: Date } | null {
  if (row.ended_at === null || row.ended_reason === null) return null
  const by = row.ended_by === null ? '' : ` by ${row.ended_by}`
  return { reason: `${endedReasons[row.ended_reason]}${by}`, at: row.ended_at }
}

function toEndedRow(row: SubscriptionSummary) {
  const end = toEnd(row)
  if (end === null) return undefined
  const { id, target_url: targetUrl } = row
  return { id, targetUrl, owner: formatSubscriptionOwner(row), filter: formatWebhookFilter(row), ...end }
}

/** Describes the calls that a subscription receives: "Calls: campaign “Leads”, answered or busy". */
export function formatWebhookFilter(subscription: {
  filter: WebhookFilter
  campaign: string | null
  agent: string | null
}): string {
  const { filter, campaign, agent } = subscription
  const parts: string[] = []
  if (filter.campaign_id !== null) parts.push(`campaign “${campaign ?? filter.campaign_id}”`)
  if (filter.agent_id !== null) parts.push(`agent “${agent ?? filter.agent_id}”`)
  if (filter.outcome !== null)
    parts.push(filter.outcome.map((outcome) => outcome.replaceAll('_', ' ')).join(' or '))
  if (filter.goal_met !== undefined) parts.push(filter.goal_met ? 'goal met' : 'goal not met')
  if (filter.opted_out) parts.push('contact opted out')
  if (filter.test !== undefined) parts.push(filter.test === 'only' ? 'only test calls' : 'without test calls')
  if (parts.length === 0) return 'All completed calls'
  return `Calls: ${parts.join(', ')}`
}

/** Returns "Zapier, connected by Robin", or the name of the API key. */
function formatSubscriptionOwner(
  subscription: Pick<SubscriptionSummary, 'app' | 'key_name' | 'key_prefix' | 'user_name'>,
): string {
  const { app, key_name, key_prefix, user_name } = subscription
  return app === null
    ? `API key “${key_name ?? ''}” (${key_prefix ?? ''}…), created by ${user_name}`
    : `${app}, connected by ${user_name}`
}

type SubscriptionHealth = Pick<
  SubscriptionSummary,
  'ended_at' | 'disabled_at' | 'failing_since' | 'last_status'
>

/** Returns a subscription's health and, if it's disabled or failing, since when. */
function toHealth({ ended_at, disabled_at, failing_since, last_status }: SubscriptionHealth): {
  badge: Badge
  since: Date | null
} {
  if (ended_at !== null) return { badge: { tone: 'mute', text: 'Ended' }, since: ended_at }
  if (disabled_at !== null) return { badge: { tone: 'bad', text: 'Disabled' }, since: disabled_at }
  if (failing_since !== null) return { badge: { tone: 'warn', text: 'Failing' }, since: failing_since }
  if (last_status === 'delivered') return { badge: { tone: 'good', text: 'Active' }, since: null }
  return { badge: { tone: 'mute', text: last_status === null ? 'No events yet' : 'Enabled' }, since: null }
}
