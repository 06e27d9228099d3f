import type { Campaign } from '@outdial/contract'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import type { Deps } from '../deps.ts'
import { type CampaignKey, changeCampaign } from './edit-campaign.ts'

/**
 * Ends a campaign for good: it takes no more calls, and those that wait are completed as canceled. Calls under
 * way go on, and are not tried again.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function archiveCampaign(deps: Deps, campaignKey: CampaignKey): Promise<Campaign> {
  const campaign = await changeCampaign(deps, campaignKey, () => ({
    status: 'archived',
    pausedReason: null,
    rescheduleAfterCallId: 0,
  }))
  await rescheduleCampaign(deps, campaignKey)
  return campaign
}

/**
 * Makes no more calls of the campaign until it is resumed. Those under way go on, and it still accepts new ones.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export const pauseCampaign = (
  deps: Deps,
  campaignKey: CampaignKey,
  reason: string | null = null,
): Promise<Campaign> =>
  changeCampaign(deps, campaignKey, ({ status }) =>
    status === 'paused' ? {} : { status: 'paused', pausedReason: reason },
  )

/**
 * Goes on with a paused campaign's calls, and forgets the failures of the line that may have paused it.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export const resumeCampaign = (deps: Deps, campaignKey: CampaignKey): Promise<Campaign> =>
  changeCampaign(deps, campaignKey, () => ({ status: 'active', pausedReason: null, providerFailures: 0 }))
