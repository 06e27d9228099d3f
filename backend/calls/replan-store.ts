import type { CallingHours, CampaignStatus } from '@outdial/contract'
import type { Db } from '../db/schema.ts'
import type { CampaignKey } from '../dialer/sweep-store.ts'

export interface CampaignToReschedule {
  status: CampaignStatus
  time_zone: string
  calling_hours: CallingHours
  replan_after: number
}

/** Holds a campaign whose waiting calls are to follow its change. Undefined where all do. */
export const lockCampaignToReschedule = async (
  tx: Db,
  key: CampaignKey,
): Promise<CampaignToReschedule | undefined> => {
  const row = await tx
    .selectFrom('campaign')
    .select(['status', 'time_zone', 'calling_hours', 'replan_after'])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const afterCallId = row?.replan_after ?? null
  return row === undefined || afterCallId === null ? undefined : { ...row, replan_after: afterCallId }
}

/** A waiting call, its row held, with what its calling hours depend on. */
export interface QueuedCall {
  id: number
  test: boolean
  due_at: Date
  to_number: string
  contact_time_zone: string | null
}

/** The campaign's next waiting calls in order of id. */
export const lockQueuedCalls = (
  tx: Db,
  key: CampaignKey,
  afterCallId: number,
  limit: number,
): Promise<QueuedCall[]> =>
  queuedCalls(tx, key.workspaceId)
    .where('call.campaign_id', '=', key.campaignId)
    .where('call.id', '>', afterCallId)
    .orderBy('call.id')
    .limit(limit)
    .forNoKeyUpdate('call')
    .execute()

/** The contact's waiting calls over all campaigns, with the rules of each. */
export const lockQueuedCallsOfContact = (tx: Db, workspaceId: number, contactId: number) =>
  queuedCalls(tx, workspaceId)
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .select(['campaign.calling_hours', 'campaign.time_zone as campaign_time_zone'])
    .where('call.contact_id', '=', contactId)
    .orderBy('call.id')
    .forNoKeyUpdate('call')
    .execute()

const queuedCalls = (tx: Db, workspaceId: number) =>
  tx
    .selectFrom('call')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .select([
      'call.id',
      'call.test',
      'call.due_at',
      'call.to_number',
      'contact.time_zone as contact_time_zone',
    ])
    .where('call.workspace_id', '=', workspaceId)
    .where('call.status', '=', 'queued')

/** Null: all of the campaign's waiting calls follow. */
export const setRescheduleAfter = async (
  tx: Db,
  key: CampaignKey,
  afterCallId: number | null,
): Promise<void> => {
  await tx
    .updateTable('campaign')
    .set({ replan_after: afterCallId })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .execute()
}
