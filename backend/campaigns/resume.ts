import type { Campaign } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { type CampaignKey, changeCampaign } from './edit-campaign.ts'

/**
 * Goes on with a paused campaign's calls, and forgets the failures of the line that may have paused it.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export const resumeCampaign =
  (deps: Deps) =>
  (campaignKey: CampaignKey): Promise<Campaign> =>
    changeCampaign(deps, campaignKey, () => ({ status: 'active', pausedReason: null, providerFailures: 0 }))
