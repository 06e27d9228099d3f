import type { Deps } from '../../deps.ts'
import { deleteDocument } from '../../knowledge/documents.ts'
import { pathTo } from '../page/page-context.ts'
import { actionRoute, type DashboardRoute, noInput, redirectTo } from '../page/page-route.ts'
import { addDocumentPage, documentPage, editDocumentPage, knowledgePage } from './knowledge-pages.ts'

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
      await deleteDocument(tx, context.workspace.id, context.id)
      return redirectTo(pathTo(context, '/knowledge'), 'The document was deleted: agents find it no more.')
    },
    back: (context) => pathTo(context, '/knowledge'),
  }),
]
