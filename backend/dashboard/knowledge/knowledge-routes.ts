import type { Deps } from '../../deps.ts'
import { deleteDocument } from '../../knowledge/delete-document.ts'
import { actionRoute, type DashboardRoute, noInput } from '../page/page-route.ts'
import { redirectTo } from '../view.ts'
import { pathTo } from '../visit.ts'
import { addDocumentPage } from './knowledge-pages.ts'
import { documentPage, editDocumentPage } from './document-pages.ts'
import { knowledgePage } from './list-page.ts'

/** What agents know. */
export const knowledgeRoutes = (deps: Deps): DashboardRoute[] => [
  knowledgePage(deps),
  addDocumentPage(deps),
  documentPage(deps),
  editDocumentPage(deps),

  actionRoute({
    path: '/knowledge/:id/delete',
    form: noInput,
    run: async (tx, context) => {
      await deleteDocument(tx)(context.workspace.id, context.id)
      return redirectTo(pathTo(context, '/knowledge'), 'The document was deleted: agents find it no more.')
    },
    back: (context) => pathTo(context, '/knowledge'),
  }),
]
