import type { Campaign, SearchQuery } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import type { Caller } from '../core/caller.ts'
import { type Page, toPage } from '../core/pagination.ts'
import { selectCampaigns } from './campaign-store.ts'

/** Lists the workspace's campaigns, archived ones too. */
export const listCampaigns =
  (deps: Pick<Deps, 'db'>) =>
  async (caller: Caller, query: SearchQuery): Promise<Page<Campaign>> =>
    toPage(await selectCampaigns(deps.db, caller.workspaceId, query), query.limit)
