import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { ApiError, fieldError, throwAsFieldError } from '../../platform/core/errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { isOnDoNotCallList } from '../calls/check-do-not-call.ts'
import { findNumbersNotAllowed } from '../calls/number-types.ts'
import { countryNotAllowed, findCallRules, isCountryAllowed } from '../rules/call-rules.ts'
import { checkScheduledAt } from '../scheduling/local-time.ts'
import { queueCall } from './add-contacts.ts'

/** A call that a user requests in the dashboard. */
interface CallRequest {
  campaignId: number
  /** Null means as soon as possible. */
  at: Date | null
  test: boolean
}

/**
 * Queues a call to a contact, or returns the contact's open call in this campaign. A number on the do-not-call list is
 * an error, so that the user sees it before anything is queued.
 *
 * @throws {ApiError} not_found, campaign_archived, validation_failed
 */
export const callContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  contactId: number,
  { campaignId, at, test }: CallRequest,
): Promise<{ callId: number; queued: boolean }> =>
  inTransaction(deps, async (tx) => {
    const call = {
      campaignId,
      scheduledAt: checkScheduledAt(at, tx.clock.now()),
      ifOpen: 'skip',
      ifListed: 'reject',
      test,
      metadata: {},
      origin: toActor(caller),
    } as const
    const { id, queued } = await queueCall(tx, caller.workspaceId, contactId, {
      call,
      actor: toActor(caller),
    }).catch(throwAsFieldError)
    return { callId: id, queued }
  })

/**
 * Checks that a call to a number wouldn't be rejected because of the number, before a user is asked to confirm it.
 *
 * @throws {ApiError} validation_failed, the same as from `callContact`
 */
export async function checkCallable(
  deps: Pick<Deps, 'db' | 'config'>,
  workspaceId: number,
  phoneNumber: string,
): Promise<void> {
  const error = await findNumberError(deps, workspaceId, { phoneNumber, test: false })
  if (error !== null) throw error
}

/** Returns why a call to a number would be rejected because of the number; null if it wouldn't. */
export async function findNumberError(
  deps: Pick<Deps, 'db' | 'config'>,
  workspaceId: number,
  { phoneNumber, test }: { phoneNumber: string; test: boolean },
): Promise<ApiError | null> {
  const { db } = deps
  if (await isOnDoNotCallList(db, workspaceId, phoneNumber))
    return new ApiError('validation_failed.do_not_call')
  if (test) return null
  const notAllowed = await findNumbersNotAllowed(db, workspaceId, [phoneNumber])
  if (notAllowed.size > 0) return fieldError('phone_number', 'number_type_not_allowed')
  const rules = await findCallRules(deps, workspaceId)
  return isCountryAllowed(rules, phoneNumber) ? null : countryNotAllowed(phoneNumber)
}
