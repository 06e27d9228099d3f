import { CampaignStatus } from '@outdial/contract'
import * as z from 'zod'
import { selectCampaignsWithDetails, selectCampaignProgress } from './campaign-queries.ts'
import type { Deps } from '../../deps.ts'
import { toPage } from '../../core/pagination.ts'
import { pageRoute } from '../page/page-route.ts'
import { campaignBadge, type Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { PageNumber } from '../fields.ts'
import { toShownProgress, type ShownProgress } from './progress.ts'

interface CampaignRow {
  id: number
  name: string
  badge: Badge
  agent: string
  number: string
  pausedReason: string | null
  progress: ShownProgress
}

interface ListData {
  rows: CampaignRow[]
  status: CampaignStatus | ''
  search: string
  isFiltered: boolean
  previous: string | null
  next: string | null
}

const campaignListView = template<ListData>('dashboard/campaigns/campaign-list-page')

const Filter = z.object({
  status: CampaignStatus.optional().catch(undefined),
  search: z.string().max(200).optional().catch(undefined),
  page: PageNumber,
})

const pageSize = 25

export const campaignListPage = (deps: Deps) =>
  pageRoute({
    path: '/campaigns',
    query: Filter,
    show: async (context) => {
      const { status, search, page } = context.query
      const filter = { ...(status && { status }), ...(search && { search }) }
      const limits = { limit: pageSize, offset: (page - 1) * pageSize }
      const rows = await selectCampaignsWithDetails(deps.db, context.workspace.id, filter, limits)
      const { items, more } = toPage(rows, pageSize)
      const ids = items.map(({ id }) => id)
      const progress = await selectCampaignProgress(deps.db, context.workspace.id, ids)
      const address = (to: number) => {
        const query = new URLSearchParams({ ...filter, page: String(to) })
        return pathTo(context, `/campaigns?${query.toString()}`)
      }
      return campaignListView('Campaigns', {
        rows: items.map((row) => ({
          id: row.id,
          name: row.name,
          badge: campaignBadge(row.status),
          agent: row.agent_name,
          number: row.number_label,
          pausedReason: row.status === 'paused' ? row.paused_reason : null,
          progress: toShownProgress(progress.get(row.id)),
        })),
        status: status ?? '',
        search: search ?? '',
        isFiltered: status !== undefined || Boolean(search),
        previous: page > 1 ? address(page - 1) : null,
        next: more ? address(page + 1) : null,
      })
    },
  })
