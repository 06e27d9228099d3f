import type { CallingHours, CallOutcome, CampaignStatus, EndedReason } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { FencedAttempt } from './attempt-store.ts'

/** How many rows a look takes at once. */
const batch = 100

/**
 * Takes over attempts whose lease has run out, by the database's clock. The fence grows: what their last holder
 * still writes is refused. Only on lines whose calls die with the worker.
 */
export async function takeOverLostAttempts(
  db: Db,
  sweeper: { workerId: string; lines: readonly string[] },
): Promise<FencedAttempt[]> {
  const { rows } = await sql<FencedAttempt>`
    update attempt
    set fence = fence + 1, worker_id = ${sweeper.workerId}::uuid, lease_until = clock_timestamp() + interval '1 minute'
    where id in (
      select id from attempt
      where ended_at is null and lease_until < clock_timestamp() and line = any(${sweeper.lines}::text[])
      order by lease_until limit ${batch}
      for no key update skip locked
    )
    returning id, fence, workspace_id as "workspaceId"`.execute(db)
  return rows
}

export interface CallKey {
  workspaceId: number
  callId: number
}

/** Calls that have waited since before `since` without an attempt. */
export const findOverdueCalls = (db: Db, since: Date): Promise<CallKey[]> =>
  db
    .selectFrom('call')
    .select(['workspace_id as workspaceId', 'id as callId'])
    .where('status', '=', 'queued')
    .where('due_at', '<', since)
    .orderBy('due_at')
    .limit(batch)
    .execute()

/** Holds one of them. Undefined where it waits no longer, or somebody is at it. */
export const holdOverdueCall = (trx: Db, key: CallKey, since: Date) =>
  trx
    .selectFrom('call')
    .select(['id', 'attempts'])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.callId)
    .where('status', '=', 'queued')
    .where('due_at', '<', since)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()

/** How the last attempt of a call ended. */
export const findLastEnd = async (
  db: Db,
  key: CallKey,
): Promise<{ outcome: CallOutcome; endedReason: EndedReason } | undefined> => {
  const last = await db
    .selectFrom('attempt')
    .select(['outcome', 'ended_reason'])
    .where('workspace_id', '=', key.workspaceId)
    .where('call_id', '=', key.callId)
    .where('ended_at', 'is not', null)
    .orderBy('number', 'desc')
    .executeTakeFirst()
  if (last === undefined || last.outcome === null || last.ended_reason === null) return undefined
  return { outcome: last.outcome, endedReason: last.ended_reason }
}

/** Completed calls whose analysis has not come in time. */
export const findOverdueAnalyses = (db: Db, now: Date): Promise<CallKey[]> =>
  db
    .selectFrom('call')
    .select(['workspace_id as workspaceId', 'id as callId'])
    .where('analysis_until', '<=', now)
    .orderBy('analysis_until')
    .limit(batch)
    .execute()

export interface CampaignKey {
  workspaceId: number
  campaignId: number
}

/** Campaigns whose waiting calls do not follow their last change yet. */
export const findCampaignsToReplan = (db: Db): Promise<CampaignKey[]> =>
  db
    .selectFrom('campaign')
    .select(['workspace_id as workspaceId', 'id as campaignId'])
    .where('replan_after', 'is not', null)
    .orderBy('id')
    .limit(batch)
    .execute()

export interface ReplannedCampaign {
  status: CampaignStatus
  time_zone: string
  calling_hours: CallingHours
  replan_after: number
}

/** Holds a campaign whose waiting calls are to follow its change. Undefined where all do. */
export const holdCampaignToReplan = async (
  trx: Db,
  key: CampaignKey,
): Promise<ReplannedCampaign | undefined> => {
  const row = await trx
    .selectFrom('campaign')
    .select(['status', 'time_zone', 'calling_hours', 'replan_after'])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const after = row?.replan_after ?? null
  return row === undefined || after === null ? undefined : { ...row, replan_after: after }
}

/** A waiting call, its row held, with what its calling hours depend on. */
export interface WaitingCall {
  id: number
  test: boolean
  due_at: Date
  to_number: string
  contact_time_zone: string | null
}

/** The campaign's next waiting calls in order of id. */
export const holdWaitingCalls = (
  trx: Db,
  key: CampaignKey,
  after: number,
  limit: number,
): Promise<WaitingCall[]> =>
  waitingCalls(trx, key.workspaceId)
    .where('call.campaign_id', '=', key.campaignId)
    .where('call.id', '>', after)
    .orderBy('call.id')
    .limit(limit)
    .forNoKeyUpdate('call')
    .execute()

/** The contact's waiting calls over all campaigns, with the rules of each. */
export const holdWaitingCallsOfContact = (trx: Db, workspaceId: number, contactId: number) =>
  waitingCalls(trx, workspaceId)
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .select(['campaign.calling_hours', 'campaign.time_zone as campaign_time_zone'])
    .where('call.contact_id', '=', contactId)
    .orderBy('call.id')
    .forNoKeyUpdate('call')
    .execute()

const waitingCalls = (trx: Db, workspaceId: number) =>
  trx
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
export const setReplanAfter = async (trx: Db, key: CampaignKey, after: number | null): Promise<void> => {
  await trx
    .updateTable('campaign')
    .set({ replan_after: after })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .execute()
}
