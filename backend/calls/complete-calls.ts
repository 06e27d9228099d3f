import type { Db } from '../db/schema.ts'
import { publishCallCompleted } from '../webhooks/outbox.ts'
import { toCall } from './get-calls.ts'
import { findCallRows } from './find-calls.ts'

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
