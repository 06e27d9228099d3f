import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../../deps.ts'
import { ApiError, notFound } from '../../platform/core/errors.ts'
import { lockCampaignForChange } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import {
  type CampaignChanges,
  type CampaignSettings,
  findCampaign,
  type StoredCampaign,
  updateCampaign,
} from './campaign-store.ts'

/**
 * Changes a campaign that isn't archived. Notifies the dialer, because any change can make calls due.
 *
 * @param toChanges returns what to change, given the locked campaign
 * @param mode `pause` for a change that matters only to claims, and so doesn't have to wait for requests that queue calls
 * @throws {ApiError} not_found, campaign_archived
 */
export const changeCampaign = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  campaignId: number,
  toChanges: (campaign: StoredCampaign) => CampaignChanges,
  mode: 'rules' | 'pause' = 'rules',
): Promise<StoredCampaign> =>
  inTransaction(deps, async (tx) => {
    const exists = await lockCampaignForChange(tx.db, { workspaceId, campaignId }, mode)
    const campaign = exists ? await findCampaign(tx.db, workspaceId, campaignId) : undefined
    if (campaign === undefined) throw notFound('campaign')
    if (campaign.status === 'archived') throw new ApiError('campaign_archived.change')
    const changes = toChanges(campaign)
    tx.notify.callQueued()
    if (Object.values(changes).every((change) => change === undefined)) return campaign
    return updateCampaign(tx.db, workspaceId, campaignId, changes)
  })

/** Changes that the contract's schemas have validated. Omitted properties keep their values. */
type CampaignEdit = Partial<CampaignSettings>

/** Returns true if an edit changes nothing about when the campaign's queued calls may be placed. */
export const keepsSchedule = (
  edit: CampaignEdit,
  current: Pick<
    StoredCampaign,
    | 'calling_hours'
    | 'time_zone'
    | 'consent_required'
    | 'consent_max_age_days'
    | 'one_conversation_per_day'
    | 'closed_on_federal_holidays'
  >,
): boolean =>
  keeps(edit.callingHours, current.calling_hours) &&
  keeps(edit.timeZone, current.time_zone) &&
  keeps(edit.consentRequired, current.consent_required) &&
  keeps(edit.consentMaxAgeDays, current.consent_max_age_days) &&
  keeps(edit.oneConversationPerDay, current.one_conversation_per_day) &&
  keeps(edit.closedOnFederalHolidays, current.closed_on_federal_holidays)

const keeps = (changed: unknown, current: unknown): boolean =>
  changed === undefined || isDeepStrictEqual(changed, current)

/**
 * Edits a campaign. New calling hours, a new time zone, and new rules reschedule queued calls. In a transaction, only the first
 * batch is rescheduled here, and the sweeper does the others. A new limit on simultaneous calls applies from the next call. The
 * retry policy applies from the end of the next call attempt.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function editCampaign(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  campaignId: number,
  edit: CampaignEdit,
): Promise<StoredCampaign> {
  const campaign = await changeCampaign(deps, workspaceId, campaignId, (current) => ({
    ...edit,
    rescheduleAfterCallId: keepsSchedule(edit, current) ? undefined : 0,
  }))
  // Does nothing if there's nothing to reschedule.
  await rescheduleCampaign(deps, { workspaceId, campaignId })
  return campaign
}
