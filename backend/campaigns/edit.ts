import type { CallingHours, Campaign, RetryPolicy } from '@outdial/contract'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import type { Deps } from '../deps.ts'
import { type CampaignKey, changeCampaign } from './edit-campaign.ts'

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
export const editCampaign =
  (deps: Deps) =>
  async (campaignKey: CampaignKey, edit: CampaignEdit): Promise<Campaign> => {
    const needsReschedule = edit.callingHours !== undefined || edit.timeZone !== undefined
    const campaign = await changeCampaign(deps, campaignKey, () => ({
      ...edit,
      rescheduleAfterCallId: needsReschedule ? 0 : undefined,
    }))
    if (needsReschedule) await rescheduleCampaign(deps)(campaignKey)
    return campaign
  }
