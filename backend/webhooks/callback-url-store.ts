import { sql } from 'kysely'
import type { Caller } from '../platform/core/caller.ts'
import { secondMs } from '../platform/core/durations.ts'
import type { Db } from '../platform/db/schema.ts'
import type { ConnectionOwner } from './subscription-store.ts'

/**
 * The delay before the first delivery to a new callback URL, so that the caller gets its response first. The promised delay is
 * five seconds, and the transaction and the response take a moment.
 */
export const callbackDelayMs = 6 * secondMs

interface NewCallback {
  callId: number
  url: string
  at: Date
}

/**
 * Adds a URL to a call. If the URL was added by a connection that has ended, adds it again for the caller's connection. Returns
 * undefined if the call already has the URL.
 */
export async function insertCallback(
  db: Db,
  caller: Caller,
  { callId, url, at }: NewCallback,
): Promise<number | undefined> {
  const owner = { user_id: caller.userId, api_key_id: caller.apiKeyId, client_id: caller.clientId }
  const row = await db
    .insertInto('call_callback')
    .values({ workspace_id: caller.workspaceId, call_id: callId, url, created_at: at, ...owner })
    .onConflict((conflict) =>
      conflict
        .columns(['call_id', 'url'])
        .where('url', '<>', '')
        .doUpdateSet({ ...owner, created_at: at, ended_at: null })
        .where('call_callback.ended_at', 'is not', null),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Counts the callback URLs of a call that still wait for the call's event. */
export async function countCallbacks(db: Db, workspaceId: number, callId: number): Promise<number> {
  const row = await db
    .selectFrom('call_callback')
    .select((column) => column.fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('webhook_delivery')
            .select('webhook_delivery.id')
            .whereRef('webhook_delivery.callback_id', '=', 'call_callback.id')
            .where('webhook_delivery.status', '<>', 'pending'),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Adds a delivery of the call's event to a callback URL. Adds none if the event doesn't exist yet. */
export async function insertCallbackDelivery(
  db: Db,
  workspaceId: number,
  { callbackId, notBefore, at }: { callbackId: number; notBefore: Date; at: Date },
): Promise<void> {
  await sql`
    insert into webhook_delivery (workspace_id, event_id, callback_id, target_url, next_attempt_at, created_at)
    select ${workspaceId}, event.id, callback.id, callback.url, ${notBefore}, ${at}
    from call_callback callback join event on event.call_id = callback.call_id
    where callback.workspace_id = ${workspaceId} and callback.id = ${callbackId}
  `.execute(db)
}

/** Ends an owner's callback URLs, and cancels their pending deliveries. */
export async function endCallbacksOfOwner(
  db: Db,
  workspaceId: number,
  owner: ConnectionOwner,
  at: Date,
): Promise<void> {
  // Waits for transactions that are adding deliveries. The statements below then see those deliveries.
  const owned = db
    .selectFrom('call_callback')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .forUpdate()
  const rows = await (
    'apiKeyId' in owner
      ? owned.where('api_key_id', '=', owner.apiKeyId)
      : owned
          .where('user_id', '=', owner.userId)
          .$if(owner.clientId !== undefined, (query) => query.where('client_id', '=', owner.clientId ?? null))
  ).execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  await sql`update call_callback set ended_at = ${at} where id = any(${ids}::bigint[])`.execute(db)
  await sql`
    update webhook_delivery set status = 'canceled', next_attempt_at = null, finished_at = ${at}
    where callback_id = any(${ids}::bigint[]) and status = 'pending'`.execute(db)
}
