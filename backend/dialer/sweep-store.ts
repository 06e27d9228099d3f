import type { CallOutcome, EndedReason } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { FencedAttempt } from './attempt-store.ts'

/** How many rows a look takes at once. */
const sweepBatchSize = 100

/**
 * Takes over attempts whose lease has run out, by the database's clock. The fence grows: what their last holder
 * still writes is refused. Only on lines whose calls die with the worker, or whose line can be asked.
 */
export async function takeOverLostAttempts(
  db: Db,
  worker: { workerId: string; providers: readonly string[]; leaseMs?: number; limit?: number },
): Promise<FencedAttempt[]> {
  const isLost = sql`lease_until < clock_timestamp() and line = any(${worker.providers}::text[])`
  return takeOver(db, worker, isLost)
}

/** The same on whatever line, where nobody has asked it for longer than a call may last. */
export async function takeOverAbandonedAttempts(
  db: Db,
  worker: { workerId: string },
  maxCallSeconds: number,
): Promise<FencedAttempt[]> {
  const isAbandoned = sql`lease_until < clock_timestamp() - ${maxCallSeconds}::float8 * interval '1 second'`
  return takeOver(db, worker, isAbandoned)
}

async function takeOver(
  db: Db,
  worker: { workerId: string; leaseMs?: number; limit?: number },
  condition: ReturnType<typeof sql>,
): Promise<FencedAttempt[]> {
  const { workerId, leaseMs = 60_000, limit = sweepBatchSize } = worker
  const { rows } = await sql<FencedAttempt>`
    update attempt
    set fence = fence + 1, worker_id = ${workerId}::uuid,
      lease_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'
    where id in (
      select id from attempt
      where ended_at is null and ${condition}
      order by lease_until limit ${limit}
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
export const findOverdueCalls = (db: Db, before: Date): Promise<CallKey[]> =>
  db
    .selectFrom('call')
    .select(['workspace_id as workspaceId', 'id as callId'])
    .where('status', '=', 'queued')
    .where('due_at', '<', before)
    .orderBy('due_at')
    .limit(sweepBatchSize)
    .execute()

/** Holds one of them. Undefined where it waits no longer, or somebody is at it. */
export const lockOverdueCall = (tx: Db, key: CallKey, before: Date) =>
  tx
    .selectFrom('call')
    .select(['id', 'attempts'])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.callId)
    .where('status', '=', 'queued')
    .where('due_at', '<', before)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()

/** How the last attempt of a call ended. */
export const findLastResult = async (
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
    .limit(sweepBatchSize)
    .execute()

export interface CampaignKey {
  workspaceId: number
  campaignId: number
}

/** Campaigns whose waiting calls do not follow their last change yet. */
export const findCampaignsToReschedule = (db: Db): Promise<CampaignKey[]> =>
  db
    .selectFrom('campaign')
    .select(['workspace_id as workspaceId', 'id as campaignId'])
    .where('replan_after', 'is not', null)
    .orderBy('id')
    .limit(sweepBatchSize)
    .execute()
