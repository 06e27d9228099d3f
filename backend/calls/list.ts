import type { Call, CallQuery } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import type { Caller } from '../core/caller.ts'
import { type Page, toPage } from '../core/pagination.ts'
import { toCall } from './get-calls.ts'
import { findCallPage } from './find-calls.ts'

/** The workspace's calls, newest first. */
export const listCalls =
  (deps: Deps) =>
  async (caller: Caller, query: CallQuery): Promise<Page<Call>> => {
    const { limit, offset, status, campaign_id: campaignId, agent_id: agentId, outcome: outcomes } = query
    const filter = { status, campaignId, agentId, outcomes }
    const page = { limit: limit + 1, offset }
    const rows = await findCallPage(deps.db, caller.workspaceId, filter, page, deps.clock.now())
    return toPage(rows.map(toCall), limit)
  }
