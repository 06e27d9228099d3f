import type { CampaignKey } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { CallKey } from '../../queue/calls/get-calls.ts'

/** Maximum rows per query and round of the sweeper. */
const sweepBatchSize = 100

/** Returns queued calls that became due before `before`. */
export const findOverdueCalls = (db: Db, before: Date): Promise<CallKey[]> =>
  db
    .selectFrom('call')
    .select(['workspace_id as workspaceId', 'id as callId'])
    .where('status', '=', 'queued')
    .where('due_at', '<', before)
    .orderBy('due_at')
    .limit(sweepBatchSize)
    .execute()

/** Locks an overdue call. Returns undefined if it's no longer queued or another transaction has locked it. */
export const lockOverdueCall = (db: Db, key: CallKey, before: Date) =>
  db
    .selectFrom('call')
    .select(['id', 'attempts'])
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.callId)
    .where('status', '=', 'queued')
    .where('due_at', '<', before)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()

/** Returns completed calls whose analysis hasn't arrived in time. */
export const findOverdueAnalyses = (db: Db, now: Date): Promise<CallKey[]> =>
  db
    .selectFrom('call')
    .select(['workspace_id as workspaceId', 'id as callId'])
    .where('analysis_until', '<=', now)
    .orderBy('analysis_until')
    .limit(sweepBatchSize)
    .execute()

/** Returns campaigns whose last change hasn't been applied to all of their queued calls. */
export const findCampaignsToReschedule = (db: Db): Promise<CampaignKey[]> =>
  db
    .selectFrom('campaign')
    .select(['workspace_id as workspaceId', 'id as campaignId'])
    .where('reschedule_after_call_id', 'is not', null)
    .orderBy('id')
    .limit(sweepBatchSize)
    .execute()
