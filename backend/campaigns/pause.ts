import type { Campaign } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { type CampaignKey, changeCampaign } from './edit-campaign.ts'

/**
 * Makes no more calls of the campaign until it is resumed. Those under way go on, and it still accepts new ones.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export const pauseCampaign =
  (deps: Deps) =>
  (campaignKey: CampaignKey, reason: string | null = null): Promise<Campaign> =>
    changeCampaign(deps, campaignKey, ({ status }) =>
      status === 'paused' ? {} : { status: 'paused', pausedReason: reason },
    )
