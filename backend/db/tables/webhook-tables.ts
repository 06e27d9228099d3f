import type { WebhookFilter } from '@outdial/contract'
import type { Generated, GeneratedAlways } from 'kysely'
import type { CreatedAt, Id, Json, TimestampColumn } from './column-types.ts'

/** Events and their deliveries. */
export interface WebhookTables {
  webhook_subscription: WebhookSubscriptionTable
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
}

interface EventTable {
  id: string
  workspace_id: number
  type: 'call.completed'
  call_id: number | null
  body: string
  created_at: CreatedAt
}

interface WebhookDeliveryTable {
  id: Id
  workspace_id: number
  event_id: string
  subscription_id: number | null
  target_url: string
  target_host: GeneratedAlways<string>
  status: Generated<'pending' | 'delivered' | 'exhausted' | 'gone'>
  attempts: Generated<number>
  next_attempt_at: TimestampColumn | null
  worker_id: string | null
  fence: Generated<number>
  lease_until: TimestampColumn | null
  created_at: CreatedAt
  finished_at: TimestampColumn | null
}

interface DeliveryAttemptTable {
  id: Id
  delivery_id: number
  number: number
  at: TimestampColumn
  duration_ms: number
  status_code: number | null
  error: string | null
}
