import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { toPage } from '../../core/pagination.ts'
import { countCallbacks, selectSubscriptions } from '../../webhooks/list-store.ts'
import { show } from '../page/page-route.ts'
import type { Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { PageNumber } from '../fields.ts'
import { filterInWords, healthOf, ownerInWords } from './in-words.ts'

interface Row {
  id: number
  targetUrl: string
  owner: string
  filter: string
  sign: Sign
  since: Date | null
  lastAt: Date | null
  pending: number
  dead: number
}

interface ListData {
  rows: Row[]
  callbacks: { pending: number; dead: number; any: boolean }
  previous: string | null
  next: string | null
}

const list = template<ListData>('dashboard/integrations/webhook-list-page')
const Query = z.object({ page: PageNumber })
const pageSize = 50

export const webhookList = (deps: Deps) =>
  show({
    path: '/integrations/webhooks',
    query: Query,
    show: async (visit) => {
      const { page } = visit.query
      const limits = { limit: pageSize + 1, offset: (page - 1) * pageSize }
      const found = await selectSubscriptions(deps.db, visit.workspace.id, limits)
      const { items, more } = toPage(found, pageSize)
      const address = (to: number) => pathTo(visit, `/integrations/webhooks?page=${to}`)
      return list('Webhooks', {
        rows: items.map((item) => ({
          id: item.id,
          targetUrl: item.targetUrl,
          owner: ownerInWords(item),
          filter: filterInWords(item),
          ...healthOf(item),
          lastAt: item.lastAt,
          pending: item.pending,
          dead: item.dead,
        })),
        callbacks: await countCallbacks(deps.db, visit.workspace.id),
        previous: page > 1 ? address(page - 1) : null,
        next: more ? address(page + 1) : null,
      })
    },
  })
