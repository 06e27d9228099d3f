import type { EventType, SubscribeWebhook, WebhookSubscription } from '@outdial/contract'
import type { Bundle, ZObject } from 'zapier-platform-core'
import { callApi } from './client.ts'

/** Filters the calls that the subscription receives. Blank values are dropped. */
type FilterInput = { [Name in keyof NonNullable<SubscribeWebhook['filter']>]: unknown }

/** Subscribes. Doing it twice is harmless: the API returns the existing subscription. */
export const subscribe = (
  z: ZObject,
  bundle: Bundle,
  subscription: { event: EventType; filter: FilterInput },
) =>
  callApi<WebhookSubscription>(z, {
    method: 'POST',
    path: '/webhooks/subscribe',
    body: { target_url: bundle.targetUrl, ...subscription },
  })

/** Unsubscribes. A subscription that no longer exists counts as a success. */
export async function unsubscribe(z: ZObject, bundle: Bundle): Promise<{ id?: string }> {
  const id = bundle.subscribeData?.id
  if (id === undefined) return {}
  await callApi(z, { method: 'DELETE', path: `/webhooks/${id}/`, acceptedStatuses: [404, 410] })
  return { id }
}
