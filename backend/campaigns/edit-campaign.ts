import type { CallingHours, Campaign, RetryPolicy } from '@outdial/contract'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type CampaignChanges, lockCampaignForUpdate, updateCampaign } from './campaign-store.ts'

/** Which campaign is to change. */
export interface CampaignKey {
  workspaceId: number
  campaignId: number
}

/**
 * Changes a campaign that is not archived, and wakes the dialer: every change may let calls out.
 *
 * @param toChanges what is to change, given the campaign as it stands and is held
 * @throws {ApiError} not_found, campaign_archived
 */
export const changeCampaign = (
  deps: Deps,
  { workspaceId, campaignId }: CampaignKey,
  toChanges: (campaign: Campaign) => CampaignChanges,
): Promise<Campaign> =>
  inTransaction(deps, async (tx) => {
    const campaign = await lockCampaignForUpdate(tx.db, workspaceId, campaignId)
    if (campaign === undefined) throw notFound('There is no campaign with this id in this workspace.')
    if (campaign.status === 'archived') {
      throw new ApiError('campaign_archived', 'This campaign is archived and cannot be changed any more.')
    }
    const changes = toChanges(campaign)
    tx.notify.callQueued()
    if (Object.values(changes).every((change) => change === undefined)) return campaign
    return updateCampaign(tx.db, workspaceId, campaignId, changes)
  })

/** What can be edited, checked by the contract's schemas. What is left out stays. */
export interface CampaignEdit {
  name?: string
  timeZone?: string
  callingHours?: CallingHours
  maxConcurrentCalls?: number
  retry?: RetryPolicy
}

/**
 * Edits a campaign. New hours, or a new zone for them, move what waits; limits and the retry policy count from
 * the next call and the next attempt's end on.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function editCampaign(
  deps: Deps,
  campaignKey: CampaignKey,
  edit: CampaignEdit,
): Promise<Campaign> {
  const needsReschedule = edit.callingHours !== undefined || edit.timeZone !== undefined
  const campaign = await changeCampaign(deps, campaignKey, () => ({
    ...edit,
    rescheduleAfterCallId: needsReschedule ? 0 : undefined,
  }))
  if (needsReschedule) await rescheduleCampaign(deps, campaignKey)
  return campaign
}
