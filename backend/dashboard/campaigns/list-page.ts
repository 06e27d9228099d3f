import { CampaignStatus } from '@outdial/contract'
import * as z from 'zod'
import { selectCampaignsForPeople, selectProgress } from './campaign-queries.ts'
import type { Deps } from '../../deps.ts'
import { toPage } from '../../core/pagination.ts'
import { show } from '../page/page-route.ts'
import { campaignSign, type Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { PageNumber } from '../fields.ts'
import { showProgress, type ShownProgress } from './progress.ts'

interface Row {
  id: number
  name: string
  sign: Sign
  agent: string
  number: string
  pausedReason: string | null
  progress: ShownProgress
}

interface ListData {
  rows: Row[]
  status: CampaignStatus | ''
  search: string
  isFiltered: boolean
  previous: string | null
  next: string | null
}

const list = template<ListData>('dashboard/campaigns/campaign-list-page')

const Filter = z.object({
  status: CampaignStatus.optional().catch(undefined),
  search: z.string().max(200).optional().catch(undefined),
  page: PageNumber,
})

const pageSize = 25

export const listPage = (deps: Deps) =>
  show({
    path: '/campaigns',
    query: Filter,
    show: async (visit) => {
      const { status, search, page } = visit.query
      const filter = { ...(status && { status }), ...(search && { search }) }
      const limits = { limit: pageSize, offset: (page - 1) * pageSize }
      const rows = await selectCampaignsForPeople(deps.db, visit.workspace.id, filter, limits)
      const { items, more } = toPage(rows, pageSize)
      const ids = items.map(({ id }) => id)
      const progress = await selectProgress(deps.db, visit.workspace.id, ids)
      const address = (to: number) => {
        const query = new URLSearchParams({ ...filter, page: String(to) })
        return pathTo(visit, `/campaigns?${query.toString()}`)
      }
      return list('Campaigns', {
        rows: items.map((row) => ({
          id: row.id,
          name: row.name,
          sign: campaignSign(row.status),
          agent: row.agent_name,
          number: row.number_label,
          pausedReason: row.status === 'paused' ? row.paused_reason : null,
          progress: showProgress(progress.get(row.id)),
        })),
        status: status ?? '',
        search: search ?? '',
        isFiltered: status !== undefined || Boolean(search),
        previous: page > 1 ? address(page - 1) : null,
        next: more ? address(page + 1) : null,
      })
    },
  })
