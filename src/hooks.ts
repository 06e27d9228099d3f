import type { EventType, SubscribeWebhook, WebhookSubscription } from '@outdial/contract'
import type { Bundle, PlainInputField, ZObject } from 'zapier-platform-core'
import { callApi, hasId } from './client.ts'

/** The filter of a subscription. Blank values are dropped. */
export type FilterInput = { [Name in keyof NonNullable<SubscribeWebhook['filter']>]: unknown }

/**
 * Subscribes. Doing it twice is harmless: the API returns the existing subscription.
 *
 * @returns only the ID, so that Zapier doesn't store the signing secret, which it can't use
 */
export async function subscribe(
  z: ZObject,
  bundle: Bundle,
  subscription: { event: EventType; filter: FilterInput },
  inputFields: readonly PlainInputField[],
): Promise<{ id: number }> {
  const body = { target_url: bundle.targetUrl, ...subscription }
  const request = { method: 'POST', path: '/webhooks/subscribe', body, inputFields } as const
  const { id } = await callApi<WebhookSubscription>(z, request, hasId)
  return { id }
}

/** Unsubscribes. A subscription that no longer exists counts as a success. */
export async function unsubscribe(z: ZObject, bundle: Bundle): Promise<{ id?: string }> {
  const id = bundle.subscribeData?.id
  if (id === undefined) return {}
  await callApi(z, { method: 'DELETE', path: `/webhooks/${id}/`, acceptedStatuses: [404, 410] })
  return { id }
}
