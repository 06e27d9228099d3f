import type { Db } from '../db/schema.ts'
import { recordCallCompleted } from '../webhooks/outbox.ts'
import { toCall } from './get-calls.ts'
import { findCalls } from './find-calls.ts'

/**
 * Writes the one `call.completed` of each call, in the transaction that completed them. Every path to
 * completion ends here; wake the sender after the commit.
 */
export async function recordCompleted(
  trx: Db,
  workspaceId: number,
  callIds: readonly number[],
  now: Date,
): Promise<void> {
  for (const row of await findCalls(trx, workspaceId, callIds, now)) {
    await recordCallCompleted(trx, { workspaceId, call: toCall(row), callbackUrl: row.callback_url, at: now })
  }
}
