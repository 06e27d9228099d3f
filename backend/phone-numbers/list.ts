import type { PhoneNumber, SearchQuery } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import type { Caller } from '../core/caller.ts'
import { type Page, toPage } from '../core/pagination.ts'
import { selectActivePhoneNumbers } from './phone-number-store.ts'

/** Lists the numbers that calls of the workspace can be made from. */
export const listPhoneNumbers =
  (deps: Pick<Deps, 'db'>) =>
  async (caller: Caller, query: SearchQuery): Promise<Page<PhoneNumber>> =>
    toPage(await selectActivePhoneNumbers(deps.db, caller.workspaceId, query), query.limit)
