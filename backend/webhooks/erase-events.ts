import { CallCompletedEvent } from '@outdial/contract'
import { sql } from 'kysely'
import { toErasedCall } from '../platform/db/erased-contact.ts'
import type { ContactEraser } from '../platform/db/erasure.ts'
import type { Db } from '../platform/db/schema.ts'

// A customer's callback URL can contain anything about the contact, so only its host is saved. An exhausted delivery
// becomes gone, because a replay would need the full URL.
const setTargetToHost = sql`
  target_url = regexp_replace(target_url, '^([A-Za-z]+://[^/?#]*).*$', '\\1/'),
  status = case status when 'exhausted' then 'gone' else status end`
const isFinishedCallbackDelivery = sql`subscription_id is null and status <> 'pending'`

/** Erases the callback URLs of calls and of finished deliveries. Pending deliveries still need their URLs. */
export const eraseCallbackUrls: ContactEraser = async (db, { workspaceId, callIds }) => {
  await sql`update call_callback set url = '' where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[])`.execute(
    db,
  )
  await sql`
    update webhook_delivery set ${setTargetToHost}
    where workspace_id = ${workspaceId} and ${isFinishedCallbackDelivery}
      and event_id in (select id from event where call_id = any(${callIds}::bigint[]))`.execute(db)
}

/**
 * Erases the callback URLs of deliveries that were still pending when the contact was erased, and have ended since. Looks back
 * 10 days, because deliveries end within days.
 */
export async function eraseCallbackUrlsOfErasedContacts(db: Db, now: Date): Promise<void> {
  await sql`
    update webhook_delivery set ${setTargetToHost}
    where ${isFinishedCallbackDelivery} and target_url ~ '^[A-Za-z]+://[^/?#]*(/.|[?#])' and event_id in (
      select event.id
      from contact
      join call on call.workspace_id = contact.workspace_id and call.contact_id = contact.id
      join event on event.call_id = call.id
      where contact.erased_at > ${now}::timestamptz - interval '10 days'
    )`.execute(db)
}

/** Erases a contact from the events of the contact's calls. Pending deliveries send the erased event. */
export const eraseEvents: ContactEraser = async (db, { workspaceId, callIds }) => {
  const events = await db
    .selectFrom('event')
    .select(['id', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
  const ids = events.map(({ id }) => id)
  const bodies = events.map(({ body }) => toErasedBody(body))
  await sql`
    update event set body = erased.body
    from unnest(${ids}::text[], ${bodies}::text[]) as erased (id, body)
    where event.workspace_id = ${workspaceId} and event.id = erased.id`.execute(db)
}

function toErasedBody(body: string): string {
  const event = CallCompletedEvent.parse(JSON.parse(body))
  return JSON.stringify({ ...event, data: toErasedCall(event.data) })
}

/** Erases transcripts, recording URLs, and what was derived from them from the events of these calls. */
export async function eraseConversationsInEvents(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await sql`
    update event
    set body = jsonb_set(
      body::jsonb,
      '{data}',
      body::jsonb -> 'data'
        || '{"transcript": [], "transcript_text": null, "summary": null, "extracted": {}, "recording_url": null}'
    )::text
    where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[]) and body::jsonb ? 'data'`.execute(
    db,
  )
}
