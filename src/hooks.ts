import type { EventType, SubscribeWebhook, WebhookSubscription } from '@outdial/contract'
import type { Bundle, ZObject } from 'zapier-platform-core'
import { callApi } from './client.ts'

/** By which the API picks the calls to tell of; blanks are dropped from it. */
type FilterInput = { [Name in keyof NonNullable<SubscribeWebhook['filter']>]: unknown }

/** Subscribing twice is harmless: the API answers the standing subscription. */
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

/** A subscription that is gone already is what the user wanted. */
export async function unsubscribe(z: ZObject, bundle: Bundle): Promise<{ id?: string }> {
  const id = bundle.subscribeData?.id
  if (id === undefined) return {}
  await callApi(z, { method: 'DELETE', path: `/webhooks/${id}/`, acceptedStatuses: [404, 410] })
  return { id }
}
