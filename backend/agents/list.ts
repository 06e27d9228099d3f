import type { Agent, SearchQuery } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import type { Caller } from '../core/caller.ts'
import { type Page, toPage } from '../core/pagination.ts'
import { selectLiveAgents } from './agent-store.ts'

/** Lists the workspace's Live agents. */
export const listAgents =
  (deps: Pick<Deps, 'db'>) =>
  async (caller: Caller, query: SearchQuery): Promise<Page<Agent>> =>
    toPage(await selectLiveAgents(deps.db, caller.workspaceId, query), query.limit)
