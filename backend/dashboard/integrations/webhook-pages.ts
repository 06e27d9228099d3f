import * as z from 'zod'
import { FormError } from '../../platform/core/form-errors.ts'
import { toPage } from '../../platform/core/pagination.ts'
import { definePage } from '../page/define-page.ts'
import { PageNumber } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { DeliveryQuery, readDeliveryTable } from './delivery-pages.ts'
import { webhookListView } from './webhook-list-view.ts'
import { countCallbackDeliveries, findReportToZapier, selectSubscriptions } from './webhook-queries.ts'
import { webhookView } from './webhook-view.ts'

export const webhookPage = definePage({
  params: IdParams,
  query: DeliveryQuery,
  show: async (deps, context) => {
    const {
      workspace,
      params: { id },
    } = context
    const [subscription] = await selectSubscriptions(deps.db, workspace.id, { id, limit: 1, offset: 0 })
    if (subscription === undefined) throw new FormError('not_found', 'Subscription not found.')
    const { target_url: url, previous_secret_until: until } = subscription
    const source = { subscriptionId: id, path: `/integrations/webhooks/${id}`, showTarget: false }
    return webhookView('Webhook', {
      subscription,
      endReport: await findReportToZapier(deps.db, workspace.id, id),
      reportsEnd: new URL(url).origin === deps.config.zapierHooksOrigin,
      previousSecretUntil: until !== null && until > deps.clock.now() ? until : null,
      table: await readDeliveryTable(deps, context, source),
    })
  },
})

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
      subscriptions: items,
      ended: await selectSubscriptions(deps.db, context.workspace.id, {
        ended: true,
        limit: pageSize,
        offset: 0,
      }),
      callbacks: await countCallbackDeliveries(deps.db, context.workspace.id),
      previous: page > 1 ? address(page - 1) : null,
      next: hasMore ? address(page + 1) : null,
    })
  },
})
