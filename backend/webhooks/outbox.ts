import { type Call, CallCompletedEvent } from '@outdial/contract'
import type { Db } from '../db/schema.ts'
import { randomToken } from '../secrets/secret-box.ts'
import { insertEventWithDeliveries } from './outbox-store.ts'

/**
 * Writes the one `call.completed` of a call, and a delivery for every subscription that wants it and for the
 * call's own `callback_url`, in the caller's transaction: the world is told if and only if the call ended.
 * Calling it again for the same call changes nothing. After the commit, `deps.wake.sender()` speeds it up.
 */
export async function publishCallCompleted(
  tx: Db,
  completed: { workspaceId: number; call: Call; callbackUrl: string | null; at: Date },
): Promise<void> {
  const { workspaceId, call, callbackUrl, at } = completed
  const event = CallCompletedEvent.parse({
    id: `evt_${randomToken(18)}`,
    type: 'call.completed',
    timestamp: at.toISOString(),
    workspace_id: workspaceId,
    data: call,
  })
  await insertEventWithDeliveries(tx, workspaceId, { event, callbackUrl, at })
}
