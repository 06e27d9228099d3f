import type { CampaignRules } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import type { AttemptResult } from './attempt-result.ts'
import { pauseFailingCampaign, setProviderFailures } from './attempt-store.ts'

/** The number of consecutive attempts that fail because of the provider before the campaign is paused. */
const maxProviderFailures = 20

const pausedReason =
  `The phone line failed ${maxProviderFailures} times in a row, so the campaign was paused. ` +
  'Check the line, then resume the campaign: its calls are kept.'

/**
 * Returns true where the result of an attempt changes the campaign's count of provider failures. A lost worker says
 * nothing about the provider, and any other result only resets a count that isn't 0.
 *
 * @param failures in a row so far
 */
export const shouldUpdateFailureCount = (result: AttemptResult, failures: number): boolean =>
  result.endedReason === 'line_failed' || (result.endedReason !== 'worker_lost' && failures > 0)

/** Counts a failure of the provider, or resets the count. Lock the campaign for `update` first, so that none is lost. */
export async function updateProviderFailures(
  db: Db,
  campaign: Pick<CampaignRules, 'id' | 'providerFailures'>,
  result: AttemptResult,
): Promise<void> {
  const failures = result.endedReason === 'line_failed' ? campaign.providerFailures + 1 : 0
  await setProviderFailures(db, campaign.id, failures)
  if (failures >= maxProviderFailures) await pauseFailingCampaign(db, campaign.id, pausedReason)
}
