import type { Db } from '../db/schema.ts'

/** The attempts of a call, the first one first. */
export const findAttemptsOfCall = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('attempt')
    .select(['id', 'number', 'line', 'started_at', 'answered_at', 'ended_at', 'outcome', 'ended_reason'])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('number')
    .execute()

/** What the agent did in a call, in order; at most `limit`. */
export const findToolCallsOfCall = (db: Db, workspaceId: number, callId: number, limit: number) =>
  db
    .selectFrom('tool_call')
    .select([
      'id',
      'attempt_id',
      'tool_name',
      'arguments',
      'result',
      'is_error',
      'dry_run',
      'started_at',
      'duration_ms',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('id')
    .limit(limit)
    .execute()

/** What a call's page tells besides the call itself: the rules it waits by, and whether its analysis is awaited. */
export const findCallDetails = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('phone_number', 'phone_number.id', 'call.phone_number_id')
    .select([
      'call.due_at',
      'call.analysis_until',
      'call.callback_url',
      'call.talk_erased_at',
      'campaign.status as campaign_status',
      'campaign.paused_reason',
      'campaign.max_concurrent_calls',
      'campaign.retry',
      'phone_number.label as number_label',
    ])
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', '=', callId)
    .executeTakeFirst()
