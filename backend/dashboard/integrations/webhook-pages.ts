import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { selectSubscriptions, type SubscriptionSummary } from '../../webhooks/list-store.ts'
import { findSubscription } from '../../webhooks/subscription-store.ts'
import { show } from '../page/page-route.ts'
import type { Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { type DeliveryTable, DeliveryQuery, readDeliveries } from './delivery-rows.ts'
import { filterInWords, healthOf, ownerInWords } from './in-words.ts'

interface WebhookData {
  webhook: {
    id: number
    targetUrl: string
    owner: string
    filter: string
    createdAt: Date
    sign: Sign
    since: Date | null
    isDisabled: boolean
    isFailing: boolean
    isApp: boolean
    pending: number
    dead: number
    /** Until when the secret before a rotation signs too; null where none does. */
    previousSecretUntil: Date | null
    mayRotate: boolean
  }
  table: DeliveryTable
}

const page = template<WebhookData>('dashboard/integrations/webhook-page')

export const webhookPage = (deps: Deps) =>
  show({
    path: '/integrations/webhooks/:id',
    query: DeliveryQuery,
    show: async (visit) => {
      const { workspace, person, id } = visit
      const [found] = await selectSubscriptions(deps.db, workspace.id, { id, limit: 1, offset: 0 })
      const owner = await findSubscription(deps.db, workspace.id, id)
      if (found === undefined || owner === undefined) throw notFound('There is no such subscription.')
      const mayRotate = owner.user_id === person.userId || workspace.role === 'owner'
      const path = `/integrations/webhooks/${id}`
      const of = { subscriptionId: id, path, showTarget: false }
      return page('Webhook', {
        webhook: { ...describe(found, deps.clock.now()), mayRotate },
        table: await readDeliveries(deps, visit, of),
      })
    },
  })

const describe = (row: SubscriptionSummary, now: Date) => ({
  id: row.id,
  targetUrl: row.targetUrl,
  owner: ownerInWords(row),
  filter: filterInWords(row),
  createdAt: row.createdAt,
  ...healthOf(row),
  isDisabled: row.disabledAt !== null,
  isFailing: row.failingSince !== null,
  isApp: row.app !== null,
  pending: row.pending,
  dead: row.dead,
  previousSecretUntil:
    row.previousSecretUntil !== null && row.previousSecretUntil > now ? row.previousSecretUntil : null,
})
