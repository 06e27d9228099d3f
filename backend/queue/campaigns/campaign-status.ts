import type { Deps } from '../../deps.ts'
import { lockCampaignForChange } from '../../platform/db/locks.ts'
import { countQueuedCalls } from '../calls/find-calls.ts'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import type { StoredCampaign } from './campaign-store.ts'
import { changeCampaign } from './edit-campaign.ts'

/**
 * Archives a campaign permanently. It doesn't accept any more calls, and queued calls are completed as canceled. Calls
 * in progress continue but aren't retried. In a transaction, only the first queued calls are completed, and the sweeper
 * completes the others.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function archiveCampaign(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  campaignId: number,
): Promise<StoredCampaign> {
  const campaign = await changeCampaign(deps, workspaceId, campaignId, () => ({
    status: 'archived',
    pausedReason: null,
    rescheduleAfterCallId: 0,
  }))
  await rescheduleCampaign(deps, { workspaceId, campaignId })
  return campaign
}

/**
 * Counts the calls that archiving a campaign would cancel. Locks the campaign, so that the number stays the same until
 * the transaction ends.
 */
export async function lockCallsToCancel(
  tx: Pick<Deps, 'db'>,
  workspaceId: number,
  campaignId: number,
): Promise<number> {
  await lockCampaignForChange(tx.db, { workspaceId, campaignId }, 'rules')
  return countQueuedCalls(tx.db, workspaceId, campaignId)
}

/**
 * Pauses a campaign: its calls aren't placed until it's resumed. Calls in progress continue, and new calls are still
 * accepted.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export const pauseCampaign = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  campaignId: number,
  reason: string | null = null,
): Promise<StoredCampaign> =>
  changeCampaign(
    deps,
    workspaceId,
    campaignId,
    ({ status }) => (status === 'paused' ? {} : { status: 'paused', pausedReason: reason }),
    'pause',
  )

/**
 * Resumes a paused campaign, and resets its count of provider failures, which may have paused it.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export const resumeCampaign = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  campaignId: number,
): Promise<StoredCampaign> =>
  changeCampaign(deps, workspaceId, campaignId, () => ({
    status: 'active',
    pausedReason: null,
    providerFailures: 0,
  }))
