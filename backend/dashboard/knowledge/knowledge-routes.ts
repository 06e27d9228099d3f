import type { Deps } from '../../deps.ts'
import { deleteDocument } from '../../knowledge/delete-document.ts'
import { act, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo } from '../visit.ts'
import { addPage } from './knowledge-pages.ts'
import { documentPage, editPage } from './document-pages.ts'
import { listPage } from './list-page.ts'

/** What agents know. */
export const knowledgeLines = (deps: Deps): Line[] => [
  listPage(deps),
  addPage(deps),
  documentPage(deps),
  editPage(deps),

  act({
    path: '/knowledge/:id/delete',
    form: none,
    act: async (own, visit) => {
      await deleteDocument(own)(visit.workspace.id, visit.id)
      return done(pathTo(visit, '/knowledge'), 'The document was deleted: agents find it no more.')
    },
    back: (visit) => pathTo(visit, '/knowledge'),
  }),
]
