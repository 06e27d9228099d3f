import type { Db } from '../db/schema.ts'

/** Sets the count of attempts in a row that failed on the line. */
export const setProviderFailures = async (tx: Db, campaignId: number, failures: number): Promise<void> => {
  await tx.updateTable('campaign').set({ line_failures: failures }).where('id', '=', campaignId).execute()
}

/** Pauses an active campaign, and leaves one that is not as it is. */
export const pauseFailingCampaign = async (tx: Db, campaignId: number, reason: string): Promise<void> => {
  await tx
    .updateTable('campaign')
    .set({ status: 'paused', paused_reason: reason })
    .where('id', '=', campaignId)
    .where('status', '=', 'active')
    .execute()
}
