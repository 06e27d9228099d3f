import type { selectDeliveriesOfEvent, selectAttemptsOfEvent } from './call-queries.ts'
import { deliveryBadge, type Badge } from '../page/badges.ts'

type Delivery = Awaited<ReturnType<typeof selectDeliveriesOfEvent>>[number]
type DeliveryAttempt = Awaited<ReturnType<typeof selectAttemptsOfEvent>>[number]

export interface ShownDelivery {
  id: number
  target: string
  /** Null for the call's own callback_url. */
  subscriptionId: number | null
  badge: Badge
  attempts: { number: number; at: Date; ms: number; result: string }[]
  nextAttemptAt: Date | null
  /** Dead, and somebody still wants it. */
  canReplay: boolean
}

/** The deliveries of an event, each with its tries. */
export const toShownDeliveries = (
  deliveries: readonly Delivery[],
  attempts: readonly DeliveryAttempt[],
): ShownDelivery[] =>
  deliveries.map((delivery) => {
    const deliveryAttempts = attempts.filter(({ delivery_id }) => delivery_id === delivery.id)
    return {
      id: delivery.id,
      target: delivery.target_url,
      subscriptionId: delivery.subscription_id,
      badge: deliveryBadge(delivery.status, deliveryAttempts.length),
      attempts: deliveryAttempts.map((one) => ({
        number: one.number,
        at: one.at,
        ms: one.duration_ms,
        result: formatAttemptResult(one),
      })),
      nextAttemptAt: delivery.next_try_at,
      canReplay: delivery.status === 'dead' && delivery.disabled_at === null,
    }
  })

function formatAttemptResult({ status_code, error }: DeliveryAttempt): string {
  if (error === null) return `Answered ${status_code ?? ''}`.trim()
  return error.charAt(0).toUpperCase() + error.slice(1)
}
