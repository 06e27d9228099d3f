import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { listDocuments } from '../../knowledge/list-documents.ts'
import type { DocumentSummary } from './knowledge-queries.ts'
import { defaultPassageLimit, searchKnowledge } from '../../knowledge/search-knowledge.ts'
import type { FoundPassage } from '../../knowledge/knowledge-store.ts'
import { pageRoute } from '../page/page-route.ts'
import { template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { PageNumber } from '../fields.ts'

interface ListData {
  search: string
  /** What is found, in the order of its rank; null where nothing is searched for. */
  found: { passages: FoundPassage[]; more: FoundPassage[] } | null
  documents: DocumentSummary[]
  previous: string | null
  next: string | null
}

const knowledgeView = template<ListData>('dashboard/knowledge/knowledge-page')

const Filter = z.object({
  search: z.string().trim().max(500).catch('').default(''),
  page: PageNumber,
})

const pageSize = 50

/** Passages that are shown of a search: agents are given the first of them alone. */
const maxFound = 10

export const knowledgePage = (deps: Deps) =>
  pageRoute({
    path: '/knowledge',
    query: Filter,
    show: async (context) => {
      const { search, page } = context.query
      if (search !== '') {
        const found = await searchKnowledge(deps)(context.workspace.id, search, maxFound)
        return knowledgeView('Knowledge', {
          search,
          found: { passages: found.slice(0, defaultPassageLimit), more: found.slice(defaultPassageLimit) },
          documents: [],
          previous: null,
          next: null,
        })
      }
      const { items, more } = await listDocuments(deps)(context.workspace.id, { page, size: pageSize })
      const address = (to: number) => pathTo(context, `/knowledge?page=${to}`)
      return knowledgeView('Knowledge', {
        search,
        found: null,
        documents: items,
        previous: page > 1 ? address(page - 1) : null,
        next: more ? address(page + 1) : null,
      })
    },
  })
