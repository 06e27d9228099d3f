import { sql } from 'kysely'

/** Matches a delivery whose event is about a call. A test event has no call. */
export const isOfCall = (deliveryTable: 'd' | 'webhook_delivery') => sql<boolean>`exists (
  select from event where event.id = ${sql.ref(`${deliveryTable}.event_id`)} and event.call_id is not null
)`
