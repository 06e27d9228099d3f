import type { Caller } from '../core/caller.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { parsePhone } from '../core/phone.ts'
import { lockContact, lockContactByNumber } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findWorkspaceCountry } from '../identity/workspaces.ts'
import { completeQueuedCalls, publishCompletedCalls } from './complete-calls.ts'
import { deleteDoNotCall, insertDoNotCall, lockQueuedCallsTo } from './do-not-call-store.ts'

/**
 * Puts a number on the workspace's do-not-call list and completes what waits for it, in every campaign, as
 * suppressed. A call that is already ringing or talking goes on. Wake the sender after the commit.
 */
export async function addToDoNotCallList(
  tx: Db,
  entry: {
    workspaceId: number
    phoneNumber: string
    source: 'api' | 'dashboard' | 'call'
    reason?: string | null
    now: Date
  },
): Promise<void> {
  const { workspaceId, phoneNumber, source, reason = null, now } = entry
  await lockContactByNumber(tx, workspaceId, phoneNumber)
  await insertDoNotCall(tx, workspaceId, { phoneNumber, source, reason, at: now })
  const callIds = await lockQueuedCallsTo(tx, workspaceId, phoneNumber)
  const result = { outcome: 'suppressed', endedReason: 'do_not_call', at: now } as const
  await publishCompletedCalls(
    tx,
    workspaceId,
    await completeQueuedCalls(tx, workspaceId, callIds, result),
    now,
  )
}

/** Whose number: a contact's, or one as a person writes it. */
export type NumberRef = { contactId: number } | { phoneNumber: string }

/**
 * Puts a number on the do-not-call list, for a person in the dashboard: what waits for it ends as suppressed. Where
 * it was there before, the first refusal stands.
 *
 * @returns the number in E.164
 * @throws {ApiError} not_found, validation_failed
 */
export const addNumberToDoNotCallList = (
  deps: Deps,
  workspaceId: number,
  number: NumberRef,
  reason: string,
): Promise<string> =>
  inTransaction(deps, async ({ db, clock, notify }) => {
    const phoneNumber = await resolveNumber({ db }, workspaceId, number)
    await addToDoNotCallList(db, {
      workspaceId,
      phoneNumber,
      source: 'dashboard',
      reason,
      now: clock.now(),
    })
    notify.deliveryQueued()
    return phoneNumber
  })

/** @throws {ApiError} not_found, validation_failed */
export async function resolveNumber(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  number: NumberRef,
): Promise<string> {
  if ('contactId' in number) {
    const contact = await lockContact(db, workspaceId, number.contactId)
    if (contact === undefined) throw notFound('There is no contact with this id in this workspace.')
    return contact.phone_number
  }
  const parsed = parsePhone(number.phoneNumber, await findWorkspaceCountry(db, workspaceId))
  if (!parsed.ok) throw invalidField(parsed.field, parsed.code, parsed.message)
  return parsed.phoneNumber
}

/**
 * Takes a number off the do-not-call list, and keeps who did so and why. Calls that ended as suppressed stay ended.
 *
 * @returns whether it was on the list
 * @throws {ApiError} not_found, validation_failed
 */
export const removeNumberFromDoNotCallList = (
  deps: Deps,
  { workspaceId, userId }: Caller,
  number: NumberRef,
  reason: string,
): Promise<boolean> =>
  inTransaction(deps, async ({ db, clock }) => {
    const phoneNumber = await resolveNumber({ db }, workspaceId, number)
    await lockContactByNumber(db, workspaceId, phoneNumber)
    return deleteDoNotCall(db, workspaceId, { phoneNumber, reason, userId, at: clock.now() })
  })
