import { sql } from 'kysely'
import type { CampaignKey } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { isNumberOnDoNotCallList } from './check-do-not-call.ts'

/** Who is to be called, and whether the number is on the do-not-call list. */
export const findCallee = (db: Db, workspaceId: number, contactId: number) =>
  db
    .selectFrom('contact')
    .select(['phone_number', 'time_zone'])
    .select(
      sql<boolean>`${isNumberOnDoNotCallList(workspaceId, sql.ref('contact.phone_number'))}`.as(
        'do_not_call',
      ),
    )
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .where('erased_at', 'is', null)
    .executeTakeFirst()

/** The open calls of a contact in a campaign, the first queued first. */
export const findOpenCalls = (
  db: Db,
  workspaceId: number,
  call: { campaignId: number; contactId: number; test: boolean },
) =>
  db
    .selectFrom('call')
    .select(['id', 'additional'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', call.contactId)
    .where('campaign_id', '=', call.campaignId)
    .where('test', '=', call.test)
    .where('status', '<>', 'completed')
    .orderBy('id')
    .execute()

export interface NewCall {
  campaignId: number
  contactId: number
  agentId: number
  phoneNumberId: number
  fromNumber: string
  toNumber: string
  test: boolean
  additional: boolean
  scheduledAt: Date | null
  queuedAt: Date
  dueAt: Date
  /** Null where the call is never made: the number is on the do-not-call list. */
  nextAttemptAt: Date | null
  metadata: Record<string, string>
  callbackUrl: string | null
}

/** Undefined where the contact already has an open call here: `call_open_once` decides. */
export const insertCall = (tx: Db, workspaceId: number, call: NewCall): Promise<{ id: number } | undefined> =>
  tx
    .insertInto('call')
    .values({
      workspace_id: workspaceId,
      campaign_id: call.campaignId,
      contact_id: call.contactId,
      agent_id: call.agentId,
      phone_number_id: call.phoneNumberId,
      from_number: call.fromNumber,
      to_number: call.toNumber,
      test: call.test,
      additional: call.additional,
      scheduled_at: call.scheduledAt,
      queued_at: call.queuedAt,
      due_at: call.dueAt,
      next_attempt_at: call.nextAttemptAt,
      metadata: JSON.stringify(call.metadata),
      callback_url: call.callbackUrl,
      ...(call.nextAttemptAt === null && {
        status: 'completed' as const,
        outcome: 'suppressed' as const,
        ended_reason: 'do_not_call' as const,
        ended_at: call.queuedAt,
      }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()

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
    .set({ reschedule_after_call_id: afterCallId })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .execute()
}
