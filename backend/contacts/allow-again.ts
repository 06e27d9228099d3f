import { lockContactByNumber } from '../calls/suppress-store.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../core/caller.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteDoNotCall } from '../calls/do-not-call-store.ts'
import { resolveNumber, type NumberRef } from './refuse.ts'

/**
 * Takes a number off the do-not-call list, and keeps who did so and why. Calls that ended as suppressed stay ended.
 *
 * @returns whether it was on the list
 * @throws {ApiError} not_found, validation_failed
 */
export const removeNumberFromDoNotCallList =
  (deps: Deps) =>
  ({ workspaceId, userId }: Caller, number: NumberRef, reason: string): Promise<boolean> =>
    inTransaction(deps, async ({ db, clock }) => {
      const phoneNumber = await resolveNumber({ db }, workspaceId, number)
      await lockContactByNumber(db, workspaceId, phoneNumber)
      return deleteDoNotCall(db, workspaceId, { phoneNumber, reason, userId, at: clock.now() })
    })
