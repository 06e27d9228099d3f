import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { selectSubscriptions, type SubscriptionSummary } from '../../webhooks/list-store.ts'
import { findSubscription } from '../../webhooks/subscription-store.ts'
import { pageRoute } from '../page/page-route.ts'
import type { Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { type DeliveryTable, DeliveryQuery, readDeliveryTable } from './delivery-rows.ts'
import { formatWebhookFilter, toHealth, formatSubscriptionOwner } from './in-words.ts'

interface WebhookData {
  webhook: {
    id: number
    targetUrl: string
    owner: string
    filter: string
    createdAt: Date
    badge: Badge
    since: Date | null
    isDisabled: boolean
    isFailing: boolean
    isApp: boolean
    pending: number
    exhausted: number
    /** Until when the secret before a rotation signs too; null where none does. */
    previousSecretUntil: Date | null
    canRotate: boolean
  }
  table: DeliveryTable
}

const webhookView = template<WebhookData>('dashboard/integrations/webhook-page')

export const webhookPage = (deps: Deps) =>
  pageRoute({
    path: '/integrations/webhooks/:id',
    query: DeliveryQuery,
    show: async (context) => {
      const { workspace, user, id } = context
      const [found] = await selectSubscriptions(deps.db, workspace.id, { id, limit: 1, offset: 0 })
      const owner = await findSubscription(deps.db, workspace.id, id)
      if (found === undefined || owner === undefined) throw notFound('There is no such subscription.')
      const canRotate = owner.user_id === user.userId || workspace.role === 'owner'
      const path = `/integrations/webhooks/${id}`
      const source = { subscriptionId: id, path, showTarget: false }
      return webhookView('Webhook', {
        webhook: { ...toShownWebhook(found, deps.clock.now()), canRotate },
        table: await readDeliveryTable(deps, context, source),
      })
    },
  })

const toShownWebhook = (row: SubscriptionSummary, now: Date) => ({
  id: row.id,
  targetUrl: row.targetUrl,
  owner: formatSubscriptionOwner(row),
  filter: formatWebhookFilter(row),
  createdAt: row.createdAt,
  ...toHealth(row),
  isDisabled: row.disabledAt !== null,
  isFailing: row.failingSince !== null,
  isApp: row.app !== null,
  pending: row.pending,
  exhausted: row.dead,
  previousSecretUntil:
    row.previousSecretUntil !== null && row.previousSecretUntil > now ? row.previousSecretUntil : null,
})
