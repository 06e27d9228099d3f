import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Holds the contact with this number, so that nobody queues a call to it meanwhile. */
export const lockContactByNumber = async (
  tx: Db,
  workspaceId: number,
  phoneNumber: string,
): Promise<void> => {
  await tx
    .selectFrom('contact')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('phone_number', '=', phoneNumber)
    .where('erased_at', 'is', null)
    .forNoKeyUpdate()
    .execute()
}

/** Whether the number of the `contact` of a query is on the do-not-call list. */
export const isContactOnDoNotCallList = sql<boolean>`exists (
  select from do_not_call
  where do_not_call.workspace_id = contact.workspace_id
    and do_not_call.number_hash = number_hash(contact.workspace_id, contact.phone_number)
)`

/** Keeps the first refusal where there is one. */
export const insertDoNotCall = async (
  tx: Db,
  workspaceId: number,
  entry: { phoneNumber: string; source: 'api' | 'dashboard' | 'call'; reason: string | null; at: Date },
): Promise<void> => {
  await tx
    .insertInto('do_not_call')
    .values({
      workspace_id: workspaceId,
      number_hash: sql<Buffer>`number_hash(${workspaceId}, ${entry.phoneNumber})`,
      source: entry.source,
      reason: entry.reason,
      created_at: entry.at,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'number_hash']).doNothing())
    .execute()
}

export const isOnDoNotCallList = async (
  db: Db,
  workspaceId: number,
  phoneNumber: string,
): Promise<boolean> => {
  const row = await db
    .selectFrom('do_not_call')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .where('number_hash', '=', sql<Buffer>`number_hash(${workspaceId}, ${phoneNumber})`)
    .executeTakeFirst()
  return row !== undefined
}

/** The calls that wait for this number, over all campaigns, held in order of id. */
export const lockQueuedCallsTo = async (
  tx: Db,
  workspaceId: number,
  phoneNumber: string,
): Promise<number[]> => {
  const rows = await tx
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('to_number', '=', phoneNumber)
    .where('status', '=', 'queued')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.map((row) => row.id)
}
