import type { Actor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import { lockCampaignsOfQueuedCalls, lockContactByNumber } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { completeQueuedCalls } from './complete-calls.ts'
import { deleteDoNotCallEntry, insertDoNotCallEntry, lockQueuedCallsToNumber } from './do-not-call-store.ts'
import { type NumberRef, resolveNumber } from './resolve-number.ts'

/**
 * Adds a number to the workspace's do-not-call list and completes the queued calls to it, in every campaign, as
 * suppressed. A call that is being dialed or in progress continues. A number that is already on the list keeps its
 * first source, reason, and actor. Call it in a transaction.
 */
export async function addToDoNotCallList(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  entry: {
    phoneNumber: string
    source: 'api' | 'dashboard' | 'call'
    reason?: string | null
    addedBy?: Actor | null
    now: Date
  },
): Promise<void> {
  const { phoneNumber, source, reason = null, addedBy = null, now } = entry
  await lockContactByNumber(tx.db, workspaceId, phoneNumber)
  await insertDoNotCallEntry(tx.db, workspaceId, { phoneNumber, source, reason, addedBy, at: now })
  await lockCampaignsOfQueuedCalls(tx.db, workspaceId, { phoneNumber })
  const callIds = await lockQueuedCallsToNumber(tx.db, workspaceId, phoneNumber)
  const result = { outcome: 'suppressed', endedReason: 'do_not_call', at: now } as const
  await completeQueuedCalls(tx, workspaceId, callIds, result)
}

/**
 * Adds a number to the do-not-call list for a person, or for an app. `addedBy` is missing on the command line, which
 * knows no user.
 *
 * @returns the number in E.164
 * @throws {ApiError} not_found, validation_failed
 */
export const addNumberToDoNotCallList = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  number: NumberRef,
  entry: { source: 'api' | 'dashboard'; reason: string | null; addedBy?: Actor },
): Promise<string> =>
  inTransaction(deps, async (tx) => {
    const phoneNumber = await resolveNumber(tx.db, workspaceId, number)
    const now = tx.clock.now()
    await addToDoNotCallList(tx, workspaceId, { ...entry, phoneNumber, now })
    return phoneNumber
  })

/**
 * Removes a number from the do-not-call list, and saves who did so and why. Calls that were suppressed stay completed.
 *
 * @returns false if the number wasn't on the list
 * @throws {ApiError} not_found, validation_failed
 */
export const removeNumberFromDoNotCallList = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  { workspaceId, userId }: Caller,
  number: NumberRef,
  reason: string,
): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    const phoneNumber = await resolveNumber(tx.db, workspaceId, number)
    await lockContactByNumber(tx.db, workspaceId, phoneNumber)
    return deleteDoNotCallEntry(tx.db, workspaceId, {
      phoneNumber,
      reason,
      userId,
      at: tx.clock.now(),
    })
  })
