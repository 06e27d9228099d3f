import type { CampaignRules } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { AttemptResult } from './attempt-result.ts'
import { pauseFailingCampaign, setProviderFailures } from './attempt-store.ts'

/** The number of consecutive provider failures that pauses a campaign. */
export const maxProviderFailures = 20

const pausedReason =
  `The agent runtime failed ${maxProviderFailures} times in a row, so the campaign was paused. ` +
  'Check the agent runtime, then resume the campaign to place its queued calls.'

/**
 * Returns true if an attempt's result changes the campaign's count of provider failures. The loss of a worker doesn't,
 * because it says nothing about the provider. Neither does an attempt that wasn't placed because the provider couldn't
 * be reached: the dialer waits for the provider instead. Any other result resets a count that isn't 0.
 *
 * @param failures consecutive failures so far
 */
export const shouldUpdateFailureCount = (result: AttemptResult, failures: number): boolean =>
  result.notPlaced !== true &&
  (result.endedReason === 'line_failed' || (result.endedReason !== 'worker_lost' && failures > 0))

/**
 * Counts a provider failure, or resets the count. Pauses the campaign if the count reaches the maximum. Returns the new count.
 * Lock the campaign for `update` first so that no failure is lost.
 */
export async function updateProviderFailures(
  db: Db,
  campaign: Pick<CampaignRules, 'id' | 'providerFailures'>,
  result: AttemptResult,
): Promise<number> {
  const failures = result.endedReason === 'line_failed' ? campaign.providerFailures + 1 : 0
  await setProviderFailures(db, campaign.id, failures)
  if (failures >= maxProviderFailures) await pauseFailingCampaign(db, campaign.id, pausedReason)
  return failures
}
