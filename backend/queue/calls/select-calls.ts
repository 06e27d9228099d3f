import type { CallOutcome, CallStatus, TestCalls } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/** A filter for calls. A property that's missing matches all calls. */
export interface CallFilter {
  status?: CallStatus
  /** Matches calls with any of these outcomes. */
  outcomes?: readonly CallOutcome[]
  campaignId?: number
  agentId?: number
  contactId?: number
  /** The import that queued the call. */
  importId?: number
  /** E.164. */
  phoneNumber?: string
  /** The contact's external ID. */
  externalId?: string
  goalMet?: boolean
  optedOut?: boolean
  test?: TestCalls
  /** Earliest `queued_at`, inclusive. */
  from?: Date
  /** Latest `queued_at`, exclusive. */
  to?: Date
  /** Earliest `ended_at`, inclusive. */
  endedFrom?: Date
  /** Latest `ended_at`, exclusive. */
  endedTo?: Date
}

/** Selects the workspace's calls that match a filter. Each filter has an index: see `call_list` and the indexes after it. */
export function selectMatchingCalls(db: Db, workspaceId: number, filter: CallFilter) {
  let calls = db.selectFrom('call').where('call.workspace_id', '=', workspaceId)
  if (filter.status) calls = calls.where('call.status', '=', filter.status)
  if (filter.campaignId) calls = calls.where('call.campaign_id', '=', filter.campaignId)
  if (filter.agentId) calls = calls.where('call.agent_id', '=', filter.agentId)
  if (filter.outcomes?.length) calls = calls.where('call.outcome', 'in', filter.outcomes)
  if (filter.contactId) calls = calls.where('call.contact_id', '=', filter.contactId)
  if (filter.importId) calls = calls.where('call.import_id', '=', filter.importId)
  if (filter.phoneNumber) calls = calls.where('call.to_number', '=', filter.phoneNumber)
  if (filter.externalId) {
    const contacts = sql<number>`any(array(
      select id from contact where workspace_id = ${workspaceId} and external_id = ${filter.externalId}
    ))`
    calls = calls.where('call.contact_id', '=', contacts)
  }
  // The next conditions are also those of partial indexes. Without `is not null`, PostgreSQL would expect `not goal_met` to
  // select the many calls whose goal is unknown, too.
  if (filter.goalMet !== undefined)
    calls = calls.where('call.goal_met', 'is not', null).where('call.goal_met', '=', filter.goalMet)
  if (filter.optedOut !== undefined) calls = calls.where('call.opted_out', '=', sql.lit(filter.optedOut))
  if (filter.test !== undefined && filter.test !== 'include')
    calls = calls.where('call.test', '=', sql.lit(filter.test === 'only'))
  if (filter.from) calls = calls.where('call.queued_at', '>=', filter.from)
  if (filter.to) calls = calls.where('call.queued_at', '<', filter.to)
  if (filter.endedFrom) calls = calls.where('call.ended_at', '>=', filter.endedFrom)
  if (filter.endedTo) calls = calls.where('call.ended_at', '<', filter.endedTo)
  return calls
}
