import type { selectDeliveriesOfEvent, findTriesOfEvent } from './call-queries.ts'
import { deliveryBadge, type Badge } from '../page/badges.ts'

type Delivery = Awaited<ReturnType<typeof selectDeliveriesOfEvent>>[number]
type Try = Awaited<ReturnType<typeof findTriesOfEvent>>[number]

export interface ShownDelivery {
  id: number
  target: string
  /** Null for the call's own callback_url. */
  subscriptionId: number | null
  badge: Badge
  tries: { number: number; at: Date; ms: number; said: string }[]
  nextTryAt: Date | null
  /** Dead, and somebody still wants it. */
  canReplay: boolean
}

/** The deliveries of an event, each with its tries. */
export const toShownDeliveries = (deliveries: readonly Delivery[], tries: readonly Try[]): ShownDelivery[] =>
  deliveries.map((delivery) => {
    const own = tries.filter(({ delivery_id }) => delivery_id === delivery.id)
    return {
      id: delivery.id,
      target: delivery.target_url,
      subscriptionId: delivery.subscription_id,
      badge: deliveryBadge(delivery.status, own.length),
      tries: own.map((one) => ({
        number: one.number,
        at: one.at,
        ms: one.duration_ms,
        said: saidOf(one),
      })),
      nextTryAt: delivery.next_try_at,
      canReplay: delivery.status === 'dead' && delivery.disabled_at === null,
    }
  })

function saidOf({ status_code, error }: Try): string {
  if (error === null) return `Answered ${status_code ?? ''}`.trim()
  return error.charAt(0).toUpperCase() + error.slice(1)
}
