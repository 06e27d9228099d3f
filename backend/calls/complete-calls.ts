import type { CallOutcome, EndedReason } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { publishCallCompleted } from '../webhooks/outbox.ts'
import { findCallRows } from './find-calls.ts'
import { toCall } from './get-calls.ts'

/**
 * Writes the one `call.completed` of each call, in the transaction that completed them. Every path to
 * completion ends here; wake the sender after the commit.
 */
export async function publishCompletedCalls(
  tx: Db,
  workspaceId: number,
  callIds: readonly number[],
  now: Date,
): Promise<void> {
  for (const row of await findCallRows(tx, workspaceId, callIds, now)) {
    await publishCallCompleted(tx, { workspaceId, call: toCall(row), callbackUrl: row.callback_url, at: now })
  }
}

/** Completes calls that wait. Returns the ids of those that still waited. */
export const completeQueuedCalls = async (
  tx: Db,
  workspaceId: number,
  ids: readonly number[],
  result: { outcome: CallOutcome; endedReason: EndedReason; at: Date },
): Promise<number[]> => {
  const rows = await tx
    .updateTable('call')
    .set({
      status: 'completed',
      outcome: result.outcome,
      ended_reason: result.endedReason,
      ended_at: result.at,
      next_attempt_at: null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('status', '=', 'queued')
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}
