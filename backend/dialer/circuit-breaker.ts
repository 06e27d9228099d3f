import type { CampaignRules } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import type { AttemptResult } from './attempt-result.ts'
import { pauseFailingCampaign, setProviderFailures } from './attempt-store.ts'

/** So many attempts in a row that fail on the line are no accident. */
export const maxProviderFailures = 20

const pausedReason =
  `The phone line failed ${maxProviderFailures} times in a row, so the campaign was paused. ` +
  'Check the line, then resume the campaign: its calls are kept.'

/**
 * Whether an attempt's end changes the count. A lost worker says nothing about the line, and a success only
 * ends a row that has begun.
 *
 * @param failures in a row so far
 */
export const changesFailureCount = (result: AttemptResult, failures: number): boolean =>
  result.endedReason === 'line_failed' || (result.endedReason !== 'worker_lost' && failures > 0)

/** Counts a failure of the line, or ends the row. The campaign is held to count, so that none is missed. */
export async function updateProviderFailures(
  tx: Db,
  campaign: CampaignRules,
  result: AttemptResult,
): Promise<void> {
  const failures = result.endedReason === 'line_failed' ? campaign.provider_failures + 1 : 0
  await setProviderFailures(tx, campaign.id, failures)
  if (failures >= maxProviderFailures) await pauseFailingCampaign(tx, campaign.id, pausedReason)
}
