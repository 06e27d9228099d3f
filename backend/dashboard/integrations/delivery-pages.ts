import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { findDelivery, selectDeliveryAttempts } from './webhook-queries.ts'
import { unsignedHeaders } from '../../webhooks/deliver.ts'
import { replayDeliveries } from '../../webhooks/replay.ts'
import { actionRoute, noInput, pageRoute } from '../page/page-route.ts'
import { deliveryBadge, type Badge } from '../page/badges.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo, type PageContext } from '../visit.ts'
import { formatMilliseconds } from './in-words.ts'
import { formatReplayed } from './webhook-actions.ts'

interface ShownAttempt {
  number: number
  at: Date
  badge: Badge
  error: string
  duration: string
}

interface DeliveryData {
  delivery: {
    id: number
    name: string
    subscriptionId: number | null
    callId: number | null
    targetUrl: string
    badge: Badge
    createdAt: Date
    finishedAt: Date | null
    nextAttemptAt: Date | null
    canReplay: boolean
    isDisabled: boolean
    body: string
  }
  attempts: ShownAttempt[]
  headers: string
}

const deliveryView = template<DeliveryData>('dashboard/integrations/delivery-page')

export const deliveryPage = (deps: Deps) =>
  pageRoute({
    path: '/integrations/deliveries/:id',
    query: noInput,
    show: async ({ workspace, id }) => {
      const row = await findDelivery(deps.db, workspace.id, id)
      if (row === undefined) throw notFound('There is no such delivery.')
      const attempts = await selectDeliveryAttempts(deps.db, workspace.id, id)
      const isDisabled = row.disabled_at !== null
      return deliveryView('Delivery', {
        delivery: {
          id: row.id,
          name: row.call_id === null ? 'Test event' : `Event of call ${row.call_id}`,
          subscriptionId: row.subscription_id,
          callId: row.call_id,
          targetUrl: row.target_url,
          badge: deliveryBadge(row.status, attempts.length),
          createdAt: row.created_at,
          finishedAt: row.finished_at,
          nextAttemptAt: row.next_try_at,
          canReplay: row.status === 'dead' && !isDisabled,
          isDisabled,
          body: formatBody(row.body),
        },
        attempts: attempts.map((one) => ({
          number: one.number,
          at: one.at,
          badge: toStatusBadge(one.status_code),
          error: one.error ?? '',
          duration: formatMilliseconds(one.duration_ms),
        })),
        headers: formatHeaders(row.event_id, attempts[0]?.at ?? null),
      })
    },
  })

export const replayDeliveryAction = () =>
  actionRoute({
    path: '/integrations/deliveries/:id/replay',
    form: noInput,
    run: async (tx, context) => {
      if (!(await findDelivery(tx.db, context.workspace.id, context.id)))
        throw notFound('There is no such delivery.')
      const count = await replayDeliveries(tx)(context.workspace.id, { deliveryId: context.id })
      return redirectTo(deliveryPath(context), formatReplayed(count))
    },
    back: (context) => deliveryPath(context),
  })

const deliveryPath = (context: PageContext) => pathTo(context, `/integrations/deliveries/${context.id}`)

function toStatusBadge(status: number | null): Badge {
  if (status === null) return { tone: 'bad', text: 'No answer' }
  return { tone: status >= 200 && status < 300 ? 'good' : 'bad', text: `HTTP ${status}` }
}

/** As they were sent with the last try. The signature is left out: who has it could send the body once more. */
function formatHeaders(eventId: string, attemptedAt: Date | null): string {
  const headers: Record<string, string> = { ...unsignedHeaders, 'webhook-id': eventId }
  if (attemptedAt !== null) headers['webhook-timestamp'] = String(Math.floor(attemptedAt.getTime() / 1000))
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Bodies are sent as one line; people read them folded out. */
function formatBody(body: string): string {
  const value: unknown = JSON.parse(body)
  return JSON.stringify(value, null, 2)
}
