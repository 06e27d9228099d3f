import type { WebhookFilter } from '@outdial/contract'
import type { Generated, GeneratedAlways } from 'kysely'
import type { CreatedAt, Id, Json, TimestampColumn } from './column-types.ts'

/** Events and their deliveries. */
export interface WebhookTables {
  webhook_subscription: WebhookSubscriptionTable
  call_callback: CallCallbackTable
  event: EventTable
  webhook_delivery: WebhookDeliveryTable
  delivery_attempt: DeliveryAttemptTable
}

interface WebhookSubscriptionTable {
  id: Id
  workspace_id: number
  user_id: number
  api_key_id: number | null
  client_id: string | null
  target_url: string
  event: 'call.completed'
  filter: Json<WebhookFilter>
  secret: string
  previous_secret: string | null
  previous_secret_until: TimestampColumn | null
  created_at: CreatedAt
  disabled_at: TimestampColumn | null
  failing_since: TimestampColumn | null
  ended_at: TimestampColumn | null
  ended_reason: SubscriptionEndedReason | null
  ended_by_user_id: number | null
  ended_by_api_key_id: number | null
  ended_by_client_id: string | null
}

/** Why a subscription ended. `gone` means that the receiver responded with 410. */
export type SubscriptionEndedReason =
  'unsubscribed' | 'gone' | 'app_disconnected' | 'key_revoked' | 'member_removed'

interface CallCallbackTable {
  id: Id
  workspace_id: number
  call_id: number
  url: string
  origin: GeneratedAlways<string>
  user_id: number | null
  api_key_id: number | null
  client_id: string | null
  created_at: TimestampColumn
  ended_at: TimestampColumn | null
}

interface EventTable {
  id: string
  workspace_id: number
  type: 'call.completed'
  call_id: number | null
  body: string
  unmatched: Json<UnmatchedSubscription[]> | null
  unmatched_count: number | null
  matched_count: number | null
  created_at: CreatedAt
}

/** A subscription that an event wasn't sent to. */
export interface UnmatchedSubscription {
  id: number
  reason: 'disabled' | keyof WebhookFilter
}

interface WebhookDeliveryTable {
  id: Id
  workspace_id: number
  /** Null for the report to Zapier that the subscription has ended. */
  event_id: string | null
  /** Null for a callback URL. */
  subscription_id: number | null
  callback_id: number | null
  target_url: string
  target_host: GeneratedAlways<string>
  status: Generated<DeliveryStatus>
  attempts: Generated<number>
  next_attempt_at: TimestampColumn | null
  waits_for_retry: Generated<boolean>
  worker_id: string | null
  fence: Generated<number>
  lease_until: TimestampColumn | null
  created_at: CreatedAt
  finished_at: TimestampColumn | null
}

/** `canceled` means that the subscription or the connection ended before the event was delivered. */
export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'gone' | 'canceled'

interface DeliveryAttemptTable {
  id: Id
  delivery_id: number
  number: number
  at: TimestampColumn
  duration_ms: number
  status_code: number | null
  error: string | null
}
