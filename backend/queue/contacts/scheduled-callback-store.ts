import { sql } from 'kysely'
import type { CallOrigin } from '../../platform/core/actor.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Returns true if a call is a scheduled callback from a call that was itself a scheduled callback. */
export async function isSecondCallback(db: Db, workspaceId: number, callId: number): Promise<boolean> {
  const { rows } = await sql`
    select from call
    join call as earlier
      on earlier.workspace_id = call.workspace_id and earlier.id = (call.origin ->> 'call_id')::bigint
    where call.workspace_id = ${workspaceId} and call.id = ${callId}
      and call.origin ->> 'kind' = 'scheduled_callback' and earlier.origin ->> 'kind' = 'scheduled_callback'`.execute(
    db,
  )
  return rows.length > 0
}

/** Turns a queued call into a scheduled callback. `origin` names the call in which it was scheduled. */
export const makeCallback = async (
  db: Db,
  workspaceId: number,
  callId: number,
  origin: CallOrigin & { kind: 'scheduled_callback' },
): Promise<void> => {
  await db
    .updateTable('call')
    .set({ origin: JSON.stringify(origin), exempt: true })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .where('status', '=', 'queued')
    .execute()
}

/** Returns the callback that was scheduled in a call. Ignores one that ended without an attempt, such as a canceled one. */
export const findCallback = (
  db: Db,
  workspaceId: number,
  { callId, contactId }: { callId: number; contactId: number },
): Promise<{ id: number } | undefined> =>
  db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .where(
      sql<boolean>`origin ->> 'kind' = 'scheduled_callback' and (origin ->> 'call_id')::bigint = ${callId}`,
    )
    .where((eb) => eb.or([eb('status', '<>', 'completed'), eb('attempts', '>', 0)]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
