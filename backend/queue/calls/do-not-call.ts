import type { DoNotCallNumber, DoNotCallQuery } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { lockCampaignsOfQueuedCalls, lockNumbers } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findDoNotCallEntry } from './check-do-not-call.ts'
import { completeQueuedCalls } from './complete-calls.ts'
import {
  deleteDoNotCallEntry,
  insertDoNotCallEntries,
  lockQueuedCallsToNumbers,
  markOptedOut,
} from './do-not-call-store.ts'
import { normalizeNumbers, type NumberRef, resolveNumber, resolveNumbers } from './resolve-number.ts'

/**
 * Adds numbers to the workspace's do-not-call list and completes the queued calls to them, in every campaign, as suppressed. A
 * call that is being dialed or in progress continues. A number that is already on the list keeps its first source, reason, and
 * actor. Call it in a transaction.
 *
 * @param entry.optedOutCallId the call in which the contact opted out. Omit it if completing that call saves the opt-out.
 */
export async function addToDoNotCallList(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  entry: {
    phoneNumbers: readonly string[]
    source: 'api' | 'dashboard' | 'call'
    reason?: string | null
    addedBy?: Actor | null
    optedOutCallId?: number
    now: Date
  },
): Promise<void> {
  const { phoneNumbers, source, reason = null, addedBy = null, optedOutCallId, now } = entry
  await lockNumbers(tx.db, workspaceId, phoneNumbers)
  await insertDoNotCallEntries(tx.db, workspaceId, { phoneNumbers, source, reason, addedBy, at: now })
  await lockCampaignsOfQueuedCalls(tx.db, workspaceId, { phoneNumbers })
  const callIds = await lockQueuedCallsToNumbers(tx.db, workspaceId, phoneNumbers)
  if (optedOutCallId !== undefined && !callIds.includes(optedOutCallId))
    await markOptedOut(tx.db, workspaceId, optedOutCallId)
  const result = { outcome: 'suppressed', endedReason: 'do_not_call', optedOutCallId, at: now } as const
  await completeQueuedCalls(tx, workspaceId, callIds, result)
}

/**
 * Adds all numbers of a text, or a contact's number, to the do-not-call list on behalf of a user or an app. `addedBy` is
 * missing if the command line adds them, because it has no user.
 *
 * @returns the numbers in E.164, in the order of the text
 * @throws {ApiError} not_found, validation_failed
 */
export const addNumbersToDoNotCallList = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  numbers: NumberRef,
  entry: { source: 'api' | 'dashboard'; reason: string | null; addedBy?: Actor },
): Promise<[string, ...string[]]> =>
  inTransaction(deps, async (tx) => {
    const phoneNumbers = await resolveNumbers(tx.db, workspaceId, numbers)
    const now = tx.clock.now()
    await addToDoNotCallList(tx, workspaceId, { ...entry, phoneNumbers, now })
    return phoneNumbers
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
    await lockNumbers(tx.db, workspaceId, [phoneNumber])
    return deleteDoNotCallEntry(tx.db, workspaceId, {
      phoneNumber,
      reason,
      userId,
      at: tx.clock.now(),
    })
  })

/**
 * Lists only one number: the first one of a text that is on the do-not-call list.
 *
 * @throws {ApiError} validation_failed if the text contains no number
 */
export async function listDoNotCallNumbers(
  { db }: Pick<Deps, 'db'>,
  { workspaceId }: Caller,
  query: DoNotCallQuery,
): Promise<Page<DoNotCallNumber>> {
  const { phone_number: phoneNumber, country, limit, offset } = query
  const numbers = await normalizeNumbers(db, workspaceId, { phoneNumber, country })
  const entry = await findDoNotCallEntry(db, workspaceId, ...numbers)
  if (entry === undefined || offset > 0) return toPage([], limit)
  const { since, reason, source } = entry
  return toPage([{ phone_number: entry.phoneNumber, added_at: since.toISOString(), reason, source }], limit)
}
