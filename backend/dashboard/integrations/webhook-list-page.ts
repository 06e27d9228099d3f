import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { toPage } from '../../core/pagination.ts'
import { countCallbackDeliveries, selectSubscriptions } from '../../webhooks/list-store.ts'
import { pageRoute } from '../page/page-route.ts'
import type { Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { PageNumber } from '../fields.ts'
import { formatWebhookFilter, toHealth, formatSubscriptionOwner } from './in-words.ts'

interface WebhookRow {
  id: number
  targetUrl: string
  owner: string
  filter: string
  badge: Badge
  since: Date | null
  lastAt: Date | null
  pending: number
  exhausted: number
}

interface ListData {
  rows: WebhookRow[]
  callbacks: { pending: number; dead: number; any: boolean }
  previous: string | null
  next: string | null
}

const webhookListView = template<ListData>('dashboard/integrations/webhook-list-page')
const Query = z.object({ page: PageNumber })
const pageSize = 50

export const webhookListPage = (deps: Deps) =>
  pageRoute({
    path: '/integrations/webhooks',
    query: Query,
    show: async (context) => {
      const { page } = context.query
      const limits = { limit: pageSize + 1, offset: (page - 1) * pageSize }
      const found = await selectSubscriptions(deps.db, context.workspace.id, limits)
      const { items, more } = toPage(found, pageSize)
      const address = (to: number) => pathTo(context, `/integrations/webhooks?page=${to}`)
      return webhookListView('Webhooks', {
        rows: items.map((item) => ({
          id: item.id,
          targetUrl: item.targetUrl,
          owner: formatSubscriptionOwner(item),
          filter: formatWebhookFilter(item),
          ...toHealth(item),
          lastAt: item.lastAt,
          pending: item.pending,
          exhausted: item.dead,
        })),
        callbacks: await countCallbackDeliveries(deps.db, context.workspace.id),
        previous: page > 1 ? address(page - 1) : null,
        next: more ? address(page + 1) : null,
      })
    },
  })
