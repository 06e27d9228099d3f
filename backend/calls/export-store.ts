import type { Db } from '../db/schema.ts'
import { type CallFilter, selectMatchingCalls } from '../dashboard/calls/call-list-queries.ts'

/** Calls with what a table of them tells, older than `before`, newest first. */
export const findCallsToExport = async (
  db: Db,
  workspaceId: number,
  filter: CallFilter,
  { before, limit }: { before: number | undefined; limit: number },
) => {
  const all = (await selectMatchingCalls(db, workspaceId, filter)).select('call.id')
  const older = before === undefined ? all : all.where('call.id', '<', before)
  return db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', 'in', older.orderBy('call.id', 'desc').limit(limit))
    .select([
      'call.id',
      'call.status',
      'call.outcome',
      'call.ended_reason',
      'call.test',
      'campaign.name as campaign_name',
      'agent.name as agent_name',
      'contact.first_name',
      'contact.last_name',
      'contact.email',
      'contact.external_id',
      'call.to_number',
      'call.from_number',
      'call.attempts',
      'call.queued_at',
      'call.next_attempt_at',
      'call.answered_at',
      'call.ended_at',
      'call.duration_seconds',
      'call.sentiment',
      'call.goal_met',
      'call.summary',
      'call.extracted',
      'call.metadata',
    ])
    .orderBy('call.id', 'desc')
    .execute()
}

export type ExportedCall = Awaited<ReturnType<typeof findCallsToExport>>[number]
