import type { CallingHours, CallOutcome, CampaignStatus, EndedReason, RetryPolicy } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** What decides when and how a campaign's calls are made. */
export interface CampaignRules {
  id: number
  status: CampaignStatus
  agent_id: number
  phone_number_id: number
  from_number: string
  time_zone: string
  calling_hours: CallingHours
  retry: RetryPolicy
  line_failures: number
}

/**
 * Reads a campaign's rules and holds them until the transaction ends. Rules change under `FOR UPDATE`, so
 * either a change waits for this transaction and then finds its calls, or this one sees the change. `to follow`
 * lets others queue, claim and finish meanwhile; `to count` makes those take turns who count its failures.
 * Nobody who follows may go on to count: two that did would wait for each other behind a change.
 */
export const lockCampaign = (
  tx: Db,
  workspaceId: number,
  campaignId: number,
  mode: 'to follow' | 'to count',
): Promise<CampaignRules | undefined> => {
  const query = tx
    .selectFrom('campaign')
    .innerJoin('phone_number', 'phone_number.id', 'campaign.phone_number_id')
    .select([
      'campaign.id',
      'campaign.status',
      'campaign.agent_id',
      'campaign.phone_number_id',
      'phone_number.phone_number as from_number',
      'campaign.time_zone',
      'campaign.calling_hours',
      'campaign.retry',
      'campaign.line_failures',
    ])
    .where('campaign.workspace_id', '=', workspaceId)
    .where('campaign.id', '=', campaignId)
  return (
    mode === 'to follow' ? query.forKeyShare('campaign') : query.forNoKeyUpdate('campaign')
  ).executeTakeFirst()
}

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

const isNumberOnDoNotCallList = (workspaceId: number, phoneNumber: ReturnType<typeof sql.ref>) => sql`exists (
  select from do_not_call
  where do_not_call.workspace_id = ${workspaceId}
    and do_not_call.number_hash = number_hash(${workspaceId}, ${phoneNumber})
)`

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

/** A call of a contact in a campaign that waits for this very time. */
export const findQueuedCallAt = (
  db: Db,
  workspaceId: number,
  call: { campaignId: number; contactId: number; test: boolean; at: Date },
): Promise<{ id: number } | undefined> =>
  db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', call.contactId)
    .where('campaign_id', '=', call.campaignId)
    .where('test', '=', call.test)
    .where('status', '=', 'queued')
    .where('scheduled_at', '=', call.at)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

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

/** Completes calls that wait. Returns the ids of those that still waited. */
export const completeQueuedCalls = async (
  tx: Db,
  workspaceId: number,
  ids: readonly number[],
  result: { outcome: CallOutcome; endedReason: EndedReason; at: Date },
): Promise<number[]> => {
  const rows = await tx
    .updateTable('call')
    .set({
      status: 'completed',
      outcome: result.outcome,
      ended_reason: result.endedReason,
      ended_at: result.at,
      next_attempt_at: null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('status', '=', 'queued')
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}
