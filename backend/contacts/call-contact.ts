import { isOnDoNotCallList } from '../calls/suppress-store.ts'
import { queueCall } from '../calls/queue-call.ts'
import type { Deps } from '../deps.ts'
import { ApiError, invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { latestSchedule } from './latest-schedule.ts'
import { holdContact } from './contact-store.ts'

/** A call that a person in the dashboard asks for. */
export interface CallWish {
  campaignId: number
  /** Not before. Null: as soon as may be. */
  at: Date | null
  test: boolean
}

/**
 * Queues a call to a known contact. Where one is open in this campaign, that one is told; a number on the
 * do-not-call list is refused, since a person should know it before anything is queued.
 *
 * @throws {ApiError} not_found, campaign_archived, validation_failed
 */
export const callContact =
  (deps: Deps) =>
  (
    key: { workspaceId: number; contactId: number },
    wish: CallWish,
  ): Promise<{ callId: number; queued: boolean }> =>
    inTransaction(deps, async ({ db, clock, wake }) => {
      const { workspaceId, contactId } = key
      const now = clock.now()
      const contact = await holdContact(db, workspaceId, contactId)
      if (contact === undefined) throw notFound('There is no contact with this id in this workspace.')
      if (await isOnDoNotCallList(db, workspaceId, contact.phone_number)) throw refused()
      if (wish.at !== null && wish.at > latestSchedule(now)) {
        throw invalidField('scheduled_at', 'too_far_ahead', 'scheduled_at must be at most a year ahead.')
      }
      const scheduledAt = wish.at !== null && wish.at > now ? wish.at : null
      const call = await queueCall(db, {
        workspaceId,
        campaignId: wish.campaignId,
        contactId,
        now,
        scheduledAt,
        ifAlreadyQueued: 'skip',
        test: wish.test,
        metadata: {},
        callbackUrl: null,
      }).catch(besideTheCampaign)
      wake.dialer()
      return call
    })

const refused = () =>
  new ApiError('validation_failed', 'This number is on the do-not-call list: no call was queued.')

/** A campaign that is not there is a field's mistake: the contact is. */
function besideTheCampaign(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
  throw new ApiError('validation_failed', error.message, { details: error.details })
}
