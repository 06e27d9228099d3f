import type { Db } from '../db/schema.ts'
import { setLineFailures, tripCampaign } from './attempt-store.ts'
import type { AttemptEnd } from './finish.ts'
import type { CampaignRules } from './store.ts'

/** So many attempts in a row that fail on the line are no accident. */
export const lineFailuresThatPause = 20

const reason =
  `The phone line failed ${lineFailuresThatPause} times in a row, so the campaign was paused. ` +
  'Check the line, then resume the campaign: its calls are kept.'

/**
 * Counts failures of the line and pauses the campaign after 20 in a row. A lost worker says nothing about the
 * line. The campaign's row is held, so the count misses none.
 */
export async function countLineFailure(trx: Db, campaign: CampaignRules, end: AttemptEnd): Promise<void> {
  if (end.endedReason === 'worker_lost') return
  if (end.endedReason !== 'line_failed') {
    if (campaign.line_failures > 0) await setLineFailures(trx, campaign.id, 0)
    return
  }
  const failures = campaign.line_failures + 1
  await setLineFailures(trx, campaign.id, failures)
  if (failures >= lineFailuresThatPause) await tripCampaign(trx, campaign.id, reason)
}
